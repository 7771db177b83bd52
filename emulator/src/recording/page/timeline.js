// The timeline: an overview of the whole trace, an axis in seconds, a lane a side, packets as arcs between lanes.
//
// Only what lies in view is drawn: packets are sorted by sending and no journey is longer than `trace.longest`, so two
// searches bound the work. Where arcs are closer than a pixel, one is drawn for all of them. The picture is kept, so
// that hovering and selecting draw only what is chosen.
"use strict";

const canvas = document.getElementById("timeline");
const kept = document.createElement("canvas");
// What is drawn with: the picture that is kept, or the canvas itself.
let pen = kept.getContext("2d");
const over = canvas.getContext("2d");
const FONT = "12px system-ui, sans-serif";
const layout = { width: 0, height: 0, gutter: 96, right: 14, overview: 30, axis: 24, charts: 0, lanesTop: 0, lanesBottom: 0, lane: 40 };

function measure() {
	const box = canvas.parentElement.getBoundingClientRect();
	const ratio = window.devicePixelRatio || 1;
	layout.width = Math.max(box.width, 200);
	layout.height = Math.max(box.height, 240);
	for (const one of [canvas, kept]) {
		one.width = Math.round(layout.width * ratio);
		one.height = Math.round(layout.height * ratio);
	}
	canvas.style.width = `${layout.width}px`;
	canvas.style.height = `${layout.height}px`;
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	over.setTransform(ratio, 0, 0, ratio, 0, 0);
	pen.font = FONT;
	const narrow = layout.width < 560;
	const longest = Math.max(...trace.sides.map((name) => pen.measureText(name).width));
	layout.gutter = Math.min(Math.max(longest + 26, narrow ? 76 : 104), narrow ? 92 : 170);
	layout.charts = layout.height < 420 ? 84 : layout.height < 560 ? 150 : 190;
	layout.lanesTop = layout.overview + layout.axis + 6;
	layout.lanesBottom = layout.height - layout.charts;
	const room = layout.lanesBottom - layout.lanesTop;
	layout.lane = Math.max(30, room / trace.sides.length);
	view.scroll = Math.min(view.scroll, maxScroll());
}

function maxScroll() {
	return Math.max(layout.lane * trace.sides.length - (layout.lanesBottom - layout.lanesTop), 0);
}

function x(seconds) {
	const room = layout.width - layout.gutter - layout.right;
	return layout.gutter + ((seconds - view.from) / (view.to - view.from)) * room;
}

function secondsAt(pixel) {
	const room = layout.width - layout.gutter - layout.right;
	return view.from + ((pixel - layout.gutter) / room) * (view.to - view.from);
}

function laneY(side) {
	return layout.lanesTop + layout.lane * (side + 0.5) - view.scroll;
}

function clip(left, top, right, bottom, draw) {
	pen.save();
	pen.beginPath();
	pen.rect(left, top, right - left, bottom - top);
	pen.clip();
	draw();
	pen.restore();
}

function drawTimeline() {
	pen.font = FONT;
	pen.fillStyle = theme().ground;
	pen.fillRect(0, 0, layout.width, layout.height);
	drawOverview();
	drawAxis();
	const right = layout.width - layout.right;
	clip(0, layout.lanesTop - 4, layout.width, layout.lanesBottom, () => {
		drawLanes();
		clip(layout.gutter, layout.lanesTop - 4, right, layout.lanesBottom, () => {
			drawPackets();
			drawNotes();
		});
	});
	drawCharts();
	stale = false;
	drawOver();
}

// What is kept, and what is chosen on top of it.
function drawOver() {
	const own = pen;
	pen = over;
	pen.drawImage(kept, 0, 0, layout.width, layout.height);
	clip(layout.gutter, layout.lanesTop - 4, layout.width - layout.right, layout.lanesBottom, drawChosen);
	pen = own;
}

// ---------------------------------------------------------------- the whole trace

let overviewBins = null;
function forgetOverview() {
	overviewBins = null;
}

function overviewCounts(bins) {
	if (overviewBins && overviewBins.length === bins) return overviewBins;
	overviewBins = Array.from({ length: bins }, () => [0, 0]);
	for (const packet of state.shown) {
		const bin = Math.min(Math.max(Math.floor((packet.sent / trace.end) * bins), 0), bins - 1);
		overviewBins[bin][0] += packet.size * packet.shares.length;
		overviewBins[bin][1] += packet.size * packet.lost;
	}
	return overviewBins;
}

function overviewX(seconds) {
	return layout.gutter + (seconds / trace.end) * (layout.width - layout.gutter - layout.right);
}

function drawOverview() {
	const colours = theme();
	const [left, right, height] = [layout.gutter, layout.width - layout.right, layout.overview];
	const bins = Math.max(Math.floor((right - left) / 4), 10);
	const counts = overviewCounts(bins);
	const most = Math.max(...counts.map((bin) => bin[0]), 1);
	const wide = (right - left) / bins;
	for (let bin = 0; bin < bins; bin += 1) {
		const [bytes, lost] = counts[bin];
		if (bytes === 0) continue;
		const tall = Math.max(2, (bytes / most) * (height - 8));
		pen.fillStyle = colours.muted;
		pen.globalAlpha = 0.5;
		pen.fillRect(left + bin * wide, height - tall, Math.max(wide - 1, 1), tall);
		if (lost === 0) continue;
		const red = Math.max(3, (lost / bytes) * tall);
		pen.fillStyle = colours.bad;
		pen.globalAlpha = 1;
		pen.fillRect(left + bin * wide, height - red, Math.max(wide - 1, 1), red);
	}
	pen.globalAlpha = 1;
	const from = Math.max(overviewX(view.from), left);
	const to = Math.max(Math.min(overviewX(view.to), right), from + 3);
	// A frame around everything says nothing.
	if (to - from < right - left - 2) {
		pen.fillStyle = colours.accent;
		pen.globalAlpha = 0.1;
		pen.fillRect(from, 2, to - from, height - 2);
		pen.globalAlpha = 1;
	}
	pen.strokeStyle = colours.muted;
	pen.lineWidth = 1;
	pen.strokeRect(from + 0.5, 2.5, to - from - 1, height - 3);
	pen.fillStyle = colours.muted;
	pen.textAlign = "left";
	pen.textBaseline = "middle";
	pen.fillText("all", 12, height / 2 + 2);
}

// ---------------------------------------------------------------- axis and lanes

function step(span, room) {
	const least = (span * 84) / room;
	const power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((times) => times * power).find((size) => size >= least);
}

function ticks(draw) {
	const size = step(view.to - view.from, layout.width - layout.gutter - layout.right);
	const decimals = Math.max(0, -Math.floor(Math.log10(size) + 1e-9));
	for (let tick = Math.ceil(view.from / size); tick * size <= view.to; tick += 1) {
		const at = tick * size;
		if (at >= -1e-9 && at <= trace.end * 1.02) draw(x(at), at.toFixed(decimals));
	}
}

function drawAxis() {
	const colours = theme();
	const y = layout.overview + layout.axis - 8;
	pen.textBaseline = "middle";
	pen.textAlign = "center";
	ticks((at, label) => {
		pen.fillStyle = colours.faint;
		pen.fillRect(Math.round(at), layout.overview + layout.axis, 1, layout.height - layout.overview - layout.axis);
		pen.fillStyle = colours.muted;
		if (at > layout.gutter - 4 && at < layout.width - 8) pen.fillText(`${label} s`, at, y);
	});
	pen.textAlign = "left";
	pen.fillStyle = colours.muted;
	pen.fillText("time", 12, y);
}

function drawLanes() {
	const colours = theme();
	for (let side = 0; side < trace.sides.length; side += 1) {
		const y = laneY(side);
		if (y < layout.lanesTop - layout.lane || y > layout.lanesBottom + layout.lane) continue;
		pen.fillStyle = colours.line;
		pen.fillRect(layout.gutter, Math.round(y), layout.width - layout.gutter - layout.right, 1);
		pen.fillStyle = colours.muted;
		for (const [from, to] of trace.spans[side]) {
			const left = Math.max(x(from), layout.gutter);
			const right = Math.min(x(to), layout.width - layout.right);
			if (right > left) pen.fillRect(left, Math.round(y) - 1, right - left, 3);
		}
		pen.fillStyle = colours.text;
		pen.textAlign = "left";
		pen.textBaseline = "middle";
		pen.font = side === 0 ? `600 ${FONT}` : FONT;
		pen.fillText(fitText(trace.sides[side], layout.gutter - 20), 12, y);
	}
	pen.font = FONT;
}

function fitText(text, width) {
	if (pen.measureText(text).width <= width) return text;
	let short = text;
	while (short.length > 1 && pen.measureText(`${short}…`).width > width) short = short.slice(0, -1);
	return `${short}…`;
}

// ---------------------------------------------------------------- packets

// Places of the first packet that may touch the view, and of the first behind it.
function inView() {
	const key = (packet) => packet.sent;
	return [lowerBound(state.shown, view.from - trace.longest, key), lowerBound(state.shown, view.to, key)];
}

// The curve of a packet to one of its receivers; half of it for one that was lost.
function arc(packet, share) {
	const [x0, y0, y1] = [x(packet.sent), laneY(packet.from), laneY(share.side)];
	const guess = Math.min(Math.max(trace.longest * 0.4, 0.02), 0.12);
	const x1 = x(share.arrived ?? packet.sent + guess);
	if (share.arrived !== null) return { x0, y0, x1, y1, bend: (x1 - x0) / 2, lost: share.lost };
	// It ends just short of the lane it never reached.
	const short = Math.min(layout.lane * 0.36, 26) * Math.sign(y1 - y0);
	return { x0, y0, x1, y1: y1 - short, bend: (x1 - x0) / 2, lost: share.lost };
}

function trail({ x0, y0, x1, y1, bend }) {
	pen.moveTo(x0, y0);
	if (x1 - x0 < 2) pen.lineTo(x1, y1);
	else pen.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
}

function drawPackets() {
	const [first, last] = inView();
	if (last - first > 4000) return drawDense(first, last);
	const groups = new Map();
	const marks = [];
	const crowded = last - first > layout.width / 4;
	for (let place = first; place < last; place += 1) {
		const packet = state.shown[place];
		for (const share of packet.shares) {
			const path = arc(packet, share);
			if (path.x1 < layout.gutter) continue;
			const arrivedLost = share.lost || share.arrived === null;
			const key = `${packet.main.index}${arrivedLost ? "!" : packet.reliable ? "" : "~"}`;
			if (!groups.has(key)) groups.set(key, { event: packet.main, lost: arrivedLost, reliable: packet.reliable, paths: [] });
			groups.get(key).paths.push(path);
			if (arrivedLost && share.fate !== "sent") marks.push(["lost", path, share]);
			else if (share.resends > 0) marks.push(["resent", path, share]);
			if (share.handlers.some((handler) => handler.error !== "")) marks.push(["failed", path, share]);
			if (share.arrived !== null && share.handled !== null) marks.push(["wait", path, share]);
		}
	}
	for (const { event, lost, reliable, paths } of groups.values()) {
		pen.strokeStyle = colourOf(event);
		pen.lineWidth = (reliable ? 1.8 : 1.2) * (crowded ? 0.7 : 1);
		pen.globalAlpha = crowded ? 0.6 : lost ? 0.75 : 0.9;
		pen.setLineDash(lost ? [4, 3] : []);
		pen.beginPath();
		paths.forEach(trail);
		pen.stroke();
		if (!crowded && !lost) {
			pen.fillStyle = colourOf(event);
			pen.beginPath();
			for (const { x1, y1 } of paths) {
				pen.moveTo(x1 + 2.4, y1);
				pen.arc(x1, y1, 2.4, 0, Math.PI * 2);
			}
			pen.fill();
		}
	}
	pen.setLineDash([]);
	pen.globalAlpha = 1;
	drawMarks(marks, 4);
}

// So many packets that pixels are shared: one arc for each pixel, colour and pair of lanes.
function drawDense(first, last) {
	const sides = trace.sides.length;
	const wide = Math.ceil(layout.width) + 2;
	const lines = new Map();
	const marks = [];
	const marked = new Set();
	const scale = (layout.width - layout.gutter - layout.right) / (view.to - view.from);
	for (let place = first; place < last; place += 1) {
		const packet = state.shown[place];
		const pixel = Math.round(layout.gutter + (packet.sent - view.from) * scale);
		if (pixel < 0 || pixel >= wide) continue;
		for (const share of packet.shares) {
			const lost = share.lost || share.arrived === null;
			const key = ((packet.main.index * sides + packet.from) * sides + share.side) * 2 + (lost ? 1 : 0);
			let line = lines.get(key);
			if (!line) {
				line = { event: packet.main, lost, taken: new Uint8Array(wide), paths: [] };
				lines.set(key, line);
			}
			if (line.taken[pixel] === 0) {
				line.taken[pixel] = 1;
				line.paths.push(arc(packet, share));
			}
			const kind = lost ? "lost" : share.resends > 0 ? "resent" : null;
			if (kind === null || share.fate === "sent") continue;
			const spot = (Math.round(pixel / 3) * sides + share.side) * 2 + (lost ? 1 : 0);
			if (marked.has(spot)) continue;
			marked.add(spot);
			marks.push([kind, arc(packet, share), share]);
		}
	}
	pen.lineWidth = 1;
	for (const { event, lost, paths } of lines.values()) {
		pen.strokeStyle = colourOf(event);
		pen.globalAlpha = lost ? 0.25 : 0.45;
		pen.beginPath();
		paths.forEach(trail);
		pen.stroke();
	}
	pen.globalAlpha = 1;
	drawMarks(marks, 2.5);
}

function drawMarks(marks, size) {
	const colours = theme();
	pen.lineWidth = 1.8;
	for (const [kind, path, share] of marks) {
		if (kind === "lost") {
			pen.strokeStyle = colours.bad;
			pen.beginPath();
			pen.moveTo(path.x1 - size, path.y1 - size);
			pen.lineTo(path.x1 + size, path.y1 + size);
			pen.moveTo(path.x1 + size, path.y1 - size);
			pen.lineTo(path.x1 - size, path.y1 + size);
			pen.stroke();
		} else if (kind === "resent") {
			pen.strokeStyle = colours.odd;
			pen.beginPath();
			pen.arc(path.x1, path.y1, size + 1.5, 0, Math.PI * 2);
			pen.stroke();
		} else if (kind === "failed") {
			pen.fillStyle = colours.bad;
			diamond(x(share.handled ?? share.arrived), path.y1, size + 1.5);
		} else {
			// From arrival to handling the packet waits: for the next frame, or for a listener.
			const to = x(share.handled);
			if (to - path.x1 > 2) {
				pen.fillStyle = colours.muted;
				pen.fillRect(path.x1, path.y1 + 3, to - path.x1, 1.5);
			}
		}
	}
}

function diamond(at, y, size) {
	pen.beginPath();
	pen.moveTo(at, y - size);
	pen.lineTo(at + size, y);
	pen.lineTo(at, y + size);
	pen.lineTo(at - size, y);
	pen.fill();
}

function drawNotes() {
	const colours = theme();
	const first = lowerBound(trace.notes, view.from, (note) => note.at);
	let lastSpot = "";
	for (let place = first; place < trace.notes.length && trace.notes[place].at <= view.to; place += 1) {
		const note = trace.notes[place];
		const [at, y] = [x(note.at), laneY(note.side)];
		const spot = `${Math.round(at)},${note.side},${note.kind}`;
		if (spot === lastSpot) continue;
		lastSpot = spot;
		if (note.kind === "mark") {
			pen.fillStyle = colours.accent;
			pen.fillRect(Math.round(at), layout.lanesTop - 4, 1, layout.lanesBottom);
			pen.textAlign = "left";
			pen.fillText(fitText(note.text, 140), at + 4, layout.lanesTop + 4);
		} else if (note.kind === "join" || note.kind === "leave") {
			pen.fillStyle = colours.text;
			pen.fillRect(Math.round(at) - 1, y - 8, 2, 16);
		} else {
			pen.fillStyle = note.kind === "error" ? colours.bad : note.kind === "warning" ? colours.odd : colours.muted;
			pen.beginPath();
			pen.moveTo(at, y + 5);
			pen.lineTo(at + 4, y + 12);
			pen.lineTo(at - 4, y + 12);
			pen.fill();
		}
	}
}

// What is under the pointer, and what is selected, on top of everything.
function drawChosen() {
	const colours = theme();
	for (const [packet, wide] of [[state.hovered, 3], [state.selected, 4]]) {
		if (!packet) continue;
		for (const share of packet.shares) {
			const path = arc(packet, share);
			pen.beginPath();
			trail(path);
			pen.lineWidth = wide + 3;
			pen.strokeStyle = colours.ground;
			pen.stroke();
			pen.lineWidth = wide;
			pen.strokeStyle = packet === state.selected ? colours.accent : colourOf(packet.main);
			pen.setLineDash(share.lost || share.arrived === null ? [6, 4] : []);
			pen.stroke();
			pen.setLineDash([]);
			pen.fillStyle = pen.strokeStyle;
			pen.beginPath();
			pen.arc(path.x0, path.y0, 4, 0, Math.PI * 2);
			pen.arc(path.x1, path.y1, 5, 0, Math.PI * 2);
			pen.fill();
		}
	}
	if (state.note) {
		const [at, y] = [x(state.note.at), laneY(state.note.side)];
		pen.strokeStyle = colours.accent;
		pen.lineWidth = 2;
		pen.beginPath();
		pen.arc(at, y + 8, 8, 0, Math.PI * 2);
		pen.stroke();
	}
}

// ---------------------------------------------------------------- finding what is under the pointer

function curveAt({ x0, y0, x1, y1, bend }, part) {
	if (x1 - x0 < 2) return [x0 + (x1 - x0) * part, y0 + (y1 - y0) * part];
	const rest = 1 - part;
	const [a, b, c, d] = [rest ** 3, 3 * rest ** 2 * part, 3 * rest * part ** 2, part ** 3];
	return [a * x0 + b * (x0 + bend) + c * (x1 - bend) + d * x1, (a + b) * y0 + (c + d) * y1];
}

// The packet whose arc is nearest, no farther than a few pixels.
function packetAt(px, py, reach = 8) {
	if (py < layout.lanesTop - 6 || py > layout.lanesBottom || px < layout.gutter - 6) return null;
	const margin = secondsAt(px + reach) - secondsAt(px);
	const now = secondsAt(px);
	const key = (packet) => packet.sent;
	const from = lowerBound(state.shown, now - trace.longest - margin - 0.2, key);
	const to = lowerBound(state.shown, now + margin, key);
	let best = null;
	let least = reach * reach;
	// The newest are on top, and more than this many are no longer told apart.
	for (let place = to - 1; place >= Math.max(from, to - 20000); place -= 1) {
		const packet = state.shown[place];
		for (const share of packet.shares) {
			const path = arc(packet, share);
			if (px < path.x0 - reach || px > path.x1 + reach) continue;
			if (py < Math.min(path.y0, path.y1) - reach || py > Math.max(path.y0, path.y1) + reach) continue;
			let before = curveAt(path, 0);
			for (let piece = 1; piece <= 16; piece += 1) {
				const next = curveAt(path, piece / 16);
				const distance = toSegment(px, py, before, next);
				if (distance < least) [least, best] = [distance, packet];
				before = next;
			}
		}
	}
	return best;
}

function toSegment(px, py, [ax, ay], [bx, by]) {
	const [dx, dy] = [bx - ax, by - ay];
	const length = dx * dx + dy * dy;
	const part = length === 0 ? 0 : Math.min(Math.max(((px - ax) * dx + (py - ay) * dy) / length, 0), 1);
	return (px - ax - dx * part) ** 2 + (py - ay - dy * part) ** 2;
}

function noteAt(px, py) {
	const margin = secondsAt(px + 7) - secondsAt(px);
	const now = secondsAt(px);
	const from = lowerBound(trace.notes, now - margin, (note) => note.at);
	for (let place = from; place < trace.notes.length && trace.notes[place].at <= now + margin; place += 1) {
		const note = trace.notes[place];
		const offset = py - laneY(note.side);
		if (note.kind === "mark" ? py < layout.lanesTop + 14 : offset > -9 && offset < 15) return note;
	}
	return null;
}

// A point on the arc of a packet, where a click finds it.
function pointOf(packet, part = 0.5) {
	const [px, py] = curveAt(arc(packet, packet.shares[0]), part);
	const box = canvas.getBoundingClientRect();
	return { x: box.left + px, y: box.top + py };
}
