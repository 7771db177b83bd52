// Puts the page together once everything is there.
"use strict";

fillControls();
applyFilters();
measure();
fit();
filtersChanged();
renderDetail();
listenToControls();
listenToPointer();
listenToKeys();
new ResizeObserver(() => {
	measure();
	clampView();
	redraw();
}).observe(canvas.parentElement);

// For tests and for scripts typed into the browser's console.
window.blinkblox = {
	trace,
	view,
	packet: (id) => trace.packets.find((packet) => packet.id === id) ?? null,
	pointOf: (id, part) => {
		const packet = trace.packets.find((one) => one.id === id);
		return packet ? pointOf(packet, part) : null;
	},
	pointOfNote: (index) => {
		const note = trace.notes[index];
		const box = canvas.getBoundingClientRect();
		const y = note.kind === "mark" ? layout.lanesTop + 4 : laneY(note.side) + 8;
		return { x: box.left + x(note.at), y: box.top + y };
	},
	select: (id) => select(trace.packets.find((packet) => packet.id === id) ?? null),
	show: (from, to) => { [view.from, view.to] = [from, to]; clampView(); drawTimeline(); },
	shown: () => state.shown.map((packet) => packet.id),
	draw: drawTimeline,
};
document.documentElement.dataset.ready = "true";
