// Filters, the legend, and moving about by mouse, touch and keys.
"use strict";

const say = (text) => { document.getElementById("said").textContent = text; };

function fillControls() {
	document.getElementById("title").textContent = trace.title;
	const about = [`seed ${trace.seed}`, `${trace.fps} frames a second`, `blinkblox ${trace.tool}`];
	if (trace.project && trace.project !== trace.title) about.unshift(trace.project);
	document.getElementById("subtitle").textContent = about.join(" · ");

	const sum = (pick) => trace.packets.reduce((total, packet) => total + pick(packet), 0);
	const journeys = sum((packet) => packet.shares.length);
	const lost = sum((packet) => packet.lost);
	const down = sum((packet) => (packet.from === 0 ? packet.size * packet.shares.length : 0));
	const up = sum((packet) => (packet.from === 0 ? 0 : packet.size * packet.shares.length));
	const again = sum((packet) => packet.resends);
	const facts = [
		["time", showSeconds(trace.end, 1)],
		["packets", trace.packets.length.toLocaleString("en")],
		["to clients", showBytes(down)],
		["to server", showBytes(up)],
		["lost", lost === 0 ? "none" : `${lost.toLocaleString("en")} (${((lost / Math.max(journeys, 1)) * 100).toFixed(1)} %)`, lost > 0 ? "bad" : ""],
		["sent again", again === 0 ? "none" : again.toLocaleString("en"), again > 0 ? "odd" : ""],
	];
	document.getElementById("facts").replaceChildren(...facts.map(([name, value, kind]) =>
		el("div", {}, el("dt", {}, name), el("dd", { class: kind ?? "" }, value))));

	const sides = document.getElementById("side");
	sides.replaceChildren(el("option", { value: "" }, "every side"),
		...trace.sides.map((name, place) => el("option", { value: String(place) }, name)));
	fillLegend();
}

function fillLegend() {
	const legend = document.getElementById("legend");
	legend.replaceChildren(...trace.events.map((event) => {
		const button = el("button", {
			type: "button",
			"aria-pressed": String(!event.hidden),
			title: "Click to hide or show; Alt-click to see it alone",
			data: { event: event.name },
		}, swatch(event), event.name);
		button.addEventListener("click", (click) => {
			if (click.altKey || click.shiftKey) showAlone(event); else event.hidden = !event.hidden;
			fillLegend();
			filtersChanged();
			[...legend.querySelectorAll("button")].find((one) => one.dataset.event === event.name)?.focus();
		});
		return el("li", {}, button);
	}));
}

// Shows one event alone; once more, and all are back.
function showAlone(event) {
	const alone = trace.events.every((other) => other.hidden === (other !== event));
	for (const other of trace.events) other.hidden = alone ? false : other !== event;
}

function filtersChanged() {
	applyFilters();
	forgetOverview();
	const [shown, all] = [state.shown.length, trace.packets.length];
	const counted = `${all.toLocaleString("en")} ${all === 1 ? "packet" : "packets"}`;
	document.getElementById("count").textContent =
		shown === all ? counted : `${shown.toLocaleString("en")} of ${counted}`;
	if (state.hovered && !state.shown.includes(state.hovered)) state.hovered = null;
	redraw();
}

function resetFilters() {
	for (const name of Object.keys(filters)) {
		filters[name] = "";
		document.getElementById(name).value = "";
	}
	for (const event of trace.events) event.hidden = false;
	fillLegend();
	filtersChanged();
}

// Selects the next packet, or the one before, that fits.
function jump(direction, fits = () => true) {
	const list = state.shown;
	if (list.length === 0) return say("No packet fits the filters.");
	let place;
	if (state.selected) place = list.indexOf(state.selected);
	if (place === undefined || place === -1) {
		const at = state.selected ? state.selected.sent : view.from;
		place = lowerBound(list, at, (packet) => packet.sent) - (direction > 0 ? 1 : 0);
	}
	for (let turn = 0; turn < list.length; turn += 1) {
		place = (place + direction + list.length) % list.length;
		if (fits(list[place])) {
			select(list[place]);
			const packet = list[place];
			return say(`${titleOf(packet)}, ${trace.sides[packet.from]} to ${receiversOf(packet)}, ${showSeconds(packet.sent)}`);
		}
	}
	say("There is none.");
}

// ---------------------------------------------------------------- mouse and touch

const pointers = new Map();
let drag = null;

function listenToPointer() {
	canvas.addEventListener("pointerdown", (event) => {
		pointers.set(event.pointerId, event);
		canvas.setPointerCapture(event.pointerId);
		const [px, py] = place(event);
		const over = py < layout.overview;
		drag = { x: px, y: py, from: view.from, to: view.to, scroll: view.scroll, moved: false, over, pinch: spread() };
		if (over) centreOn(px);
	});
	canvas.addEventListener("pointermove", (event) => {
		const [px, py] = place(event);
		if (!drag || !pointers.has(event.pointerId)) return hover(px, py);
		pointers.set(event.pointerId, event);
		if (pointers.size === 2) return pinch();
		if (Math.abs(px - drag.x) + Math.abs(py - drag.y) > 4) drag.moved = true;
		if (!drag.moved) return;
		hideTip();
		if (drag.over) return centreOn(px);
		const room = layout.width - layout.gutter - layout.right;
		const shift = ((drag.x - px) / room) * (drag.to - drag.from);
		[view.from, view.to] = [drag.from + shift, drag.to + shift];
		view.scroll = Math.min(Math.max(drag.scroll + drag.y - py, 0), maxScroll());
		clampView();
		redraw();
	});
	const end = (event) => {
		pointers.delete(event.pointerId);
		if (drag && !drag.moved && !drag.over && event.type === "pointerup") click(...place(event));
		drag = null;
	};
	canvas.addEventListener("pointerup", end);
	canvas.addEventListener("pointercancel", end);
	canvas.addEventListener("pointerleave", () => { if (!drag) hover(-1, -1); });
	canvas.addEventListener("dblclick", (event) => zoom(0.4, secondsAt(place(event)[0])));
	canvas.addEventListener("wheel", (event) => {
		event.preventDefault();
		const sideways = event.shiftKey ? event.deltaY : event.deltaX;
		if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
			pan((sideways / layout.width) * (view.to - view.from));
		} else {
			const part = event.deltaMode === 1 ? 16 : 1;
			zoom(Math.exp(Math.min(Math.max(event.deltaY * part, -200), 200) * 0.0022), secondsAt(place(event)[0]));
		}
	}, { passive: false });
}

function place(event) {
	const box = canvas.getBoundingClientRect();
	return [event.clientX - box.left, event.clientY - box.top];
}

function centreOn(px) {
	const room = layout.width - layout.gutter - layout.right;
	const at = ((px - layout.gutter) / room) * trace.end;
	const span = view.to - view.from;
	[view.from, view.to] = [at - span / 2, at + span / 2];
	clampView();
	redraw();
}

function spread() {
	const [a, b] = [...pointers.values()];
	return a && b ? { distance: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), from: view.from, to: view.to } : null;
}

function pinch() {
	drag.moved = true;
	if (!drag.pinch) drag.pinch = spread();
	const now = spread();
	const factor = drag.pinch.distance / Math.max(now.distance, 10);
	const middle = (drag.pinch.from + drag.pinch.to) / 2;
	const half = ((drag.pinch.to - drag.pinch.from) * factor) / 2;
	[view.from, view.to] = [middle - half, middle + half];
	clampView();
	redraw();
}

function click(px, py) {
	canvas.focus({ preventScroll: true });
	const note = noteAt(px, py);
	const packet = packetAt(px, py);
	if (packet) select(packet, { move: false });
	else if (note) selectNote(note);
	else select(null, { move: false });
}

const tip = document.getElementById("tip");

function hideTip() {
	tip.hidden = true;
}

function hover(px, py) {
	const packet = px < 0 ? null : packetAt(px, py);
	const note = px < 0 || packet ? null : noteAt(px, py);
	if (packet !== state.hovered) {
		state.hovered = packet;
		redrawChosen();
	}
	canvas.style.cursor = packet || note ? "pointer" : py < layout.overview ? "ew-resize" : "grab";
	if (!packet && !note) return hideTip();
	if (packet) {
		const share = packet.shares[0];
		const fate = packet.lost > 0 ? `${packet.lost} of ${packet.shares.length} lost`
			: share && share.arrived !== null ? `${showDelay(share.arrived - packet.sent)} on its way` : "on its way";
		tip.replaceChildren(
			el("b", {}, titleOf(packet)),
			el("span", {}, `${trace.sides[packet.from]} → ${receiversOf(packet)}`),
			el("span", {}, `${showSeconds(packet.sent)} · ${showBytes(packet.size)} · ${fate}`));
	} else {
		const short = note.text.length > 140 ? `${note.text.slice(0, 140)}…` : note.text;
		tip.replaceChildren(el("b", {}, `${NOTES[note.kind] ?? note.kind}, ${trace.sides[note.side]}`), el("span", {}, short));
	}
	tip.hidden = false;
	const left = Math.min(px + 14, layout.width - tip.offsetWidth - 8);
	const above = py + 18 + tip.offsetHeight > layout.height;
	tip.style.left = `${Math.max(left, 4)}px`;
	tip.style.top = `${above ? py - tip.offsetHeight - 10 : py + 18}px`;
}

// ---------------------------------------------------------------- keys

const KEYS = {
	ArrowLeft: () => pan(-(view.to - view.from) * 0.15),
	ArrowRight: () => pan((view.to - view.from) * 0.15),
	ArrowUp: () => scrollLanes(-1),
	ArrowDown: () => scrollLanes(1),
	"+": () => zoom(0.6, chosenMoment()),
	"=": () => zoom(0.6, chosenMoment()),
	"-": () => zoom(1 / 0.6, chosenMoment()),
	0: fit,
	Home: () => { view.to -= view.from; view.from = 0; clampView(); redraw(); },
	End: () => pan(trace.end - view.to),
	j: () => jump(1),
	k: () => jump(-1),
	x: () => jump(1, (packet) => packet.trouble),
	Escape: () => select(null),
	"/": () => document.getElementById("find").focus(),
};

function chosenMoment() {
	const packet = state.selected;
	return packet && packet.sent > view.from && packet.sent < view.to ? packet.sent : undefined;
}

function scrollLanes(direction) {
	view.scroll = Math.min(Math.max(view.scroll + direction * layout.lane, 0), maxScroll());
	redraw();
}

function listenToKeys() {
	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		const typing = event.target.closest("input, select");
		if (typing) {
			if (event.key === "Escape") canvas.focus();
			return;
		}
		// Arrows in the pane belong to its scrolling.
		if (event.key.startsWith("Arrow") && pane.contains(event.target)) return;
		const run = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
		if (!run) return;
		event.preventDefault();
		run();
	});
}

function listenToControls() {
	const form = document.getElementById("filters");
	form.addEventListener("submit", (event) => event.preventDefault());
	form.addEventListener("input", (event) => {
		if (event.target.id in filters) filters[event.target.id] = event.target.value;
		filtersChanged();
	});
	document.getElementById("reset").addEventListener("click", resetFilters);
	document.getElementById("zoom-in").addEventListener("click", () => zoom(0.6));
	document.getElementById("zoom-out").addEventListener("click", () => zoom(1 / 0.6));
	document.getElementById("zoom-fit").addEventListener("click", fit);
	document.getElementById("theme").addEventListener("click", () => {
		document.documentElement.dataset.theme = isDark() ? "light" : "dark";
		themeChanged();
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themeChanged);
}

function themeChanged() {
	forgetTheme();
	fillLegend();
	renderDetail();
	redraw();
}
