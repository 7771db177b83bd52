// Below the lanes, on the same axis: bytes over time, and how often streams are sent and arrive.
"use strict";

function drawCharts() {
	const top = layout.lanesBottom;
	const both = layout.charts > 100;
	const height = both ? layout.charts / 2 : layout.charts;
	drawBytes(top, height);
	if (both) drawRates(top + height, height);
}

function frame(top, height, title, under) {
	const colours = theme();
	pen.fillStyle = colours.line;
	pen.fillRect(0, Math.round(top), layout.width, 1);
	pen.textAlign = "left";
	pen.textBaseline = "middle";
	pen.fillStyle = colours.text;
	pen.fillText(title, 12, top + 18);
	pen.fillStyle = colours.muted;
	under.forEach((line, place) => pen.fillText(fitText(line, layout.gutter - 16), 12, top + 35 + place * 15));
}

// Lengths of the bars, in seconds: about this many pixels each, on round numbers so that panning keeps them still.
function binSize(pixels, least = 0) {
	const room = layout.width - layout.gutter - layout.right;
	const wanted = Math.max(((view.to - view.from) * pixels) / room, least);
	const power = 10 ** Math.floor(Math.log10(wanted));
	return [1, 2, 5, 10].map((times) => times * power).find((size) => size >= wanted * 0.999);
}

// Bars that were counted for the filters as they are, by their length: panning counts nothing twice.
const counted = { filtered: -1, bytes: new Map(), rates: new Map() };

function remembered(kind, size, count) {
	if (counted.filtered !== state.filtered) {
		counted.filtered = state.filtered;
		counted.bytes.clear();
		counted.rates.clear();
	}
	// More bars than this are counted for the view alone: so few packets lie in it.
	const bars = Math.ceil(trace.end / size) + 2;
	if (bars > 50000) {
		const first = Math.floor(view.from / size);
		return { first, ...count(size, first, Math.ceil(view.to / size) - first + 1) };
	}
	if (!counted[kind].has(size)) counted[kind].set(size, { first: 0, ...count(size, 0, bars) });
	return counted[kind].get(size);
}

function countBytes(size, first, bars) {
	const [down, up, lost] = [new Float64Array(bars), new Float64Array(bars), new Float64Array(bars)];
	const key = (packet) => packet.sent;
	const to = lowerBound(state.shown, (first + bars) * size, key);
	for (let place = lowerBound(state.shown, first * size, key); place < to; place += 1) {
		const packet = state.shown[place];
		const bin = Math.floor(packet.sent / size) - first;
		if (bin < 0 || bin >= bars) continue;
		const bytes = packet.size * packet.shares.length;
		if (packet.from === 0) {
			down[bin] += bytes;
			lost[bin] += packet.size * packet.lost;
		} else {
			up[bin] += bytes;
		}
	}
	return { down, up, lost };
}

function drawBytes(top, height) {
	const colours = theme();
	const size = binSize(5);
	const { first, down, up, lost } = remembered("bytes", size, countBytes);
	const count = down.length;
	const from = Math.max(Math.floor(view.from / size) - first, 0);
	const to = Math.min(Math.ceil(view.to / size) - first, count);
	let most = 1;
	for (let bin = from; bin < to; bin += 1) most = Math.max(most, down[bin], up[bin]);
	frame(top, height, "bytes", ["peak", showBytes(most)]);
	const legend = [["↓ to clients", colours.down], ["↑ to server", colours.up], ["lost", colours.bad]];
	// Without traffic one way the other has all the room.
	const room = height - 30;
	const [hasDown, hasUp] = [down.some((bytes) => bytes > 0), up.some((bytes) => bytes > 0)];
	const above = hasUp ? (hasDown ? room / 2 : 0) : room;
	const below = room - above;
	const middle = top + 22 + above;
	clip(layout.gutter, top, layout.width - layout.right, top + height, () => {
		for (let bin = from; bin < to; bin += 1) {
			if (down[bin] + up[bin] === 0) continue;
			const left = x((first + bin) * size);
			const wide = Math.max(x((first + bin + 1) * size) - left - 1, 1);
			pen.fillStyle = colours.down;
			pen.fillRect(left, middle - (down[bin] / most) * above, wide, (down[bin] / most) * above);
			pen.fillStyle = colours.bad;
			pen.fillRect(left, middle - (lost[bin] / most) * above, wide, (lost[bin] / most) * above);
			pen.fillStyle = colours.up;
			pen.fillRect(left, middle + 1, wide, (up[bin] / most) * below);
		}
		pen.fillStyle = colours.line;
		pen.fillRect(layout.gutter, Math.round(middle), layout.width, 1);
	});
	chartLegend(top, legend);
}

function chartLegend(top, entries) {
	let right = layout.width - layout.right;
	pen.textBaseline = "middle";
	pen.textAlign = "left";
	for (const [label, colour, dash] of [...entries].reverse()) {
		const wide = pen.measureText(label).width;
		if (right - wide - 24 < layout.gutter) return;
		pen.fillStyle = theme().ground;
		pen.fillRect(right - wide - 22, top + 4, wide + 24, 16);
		pen.fillStyle = theme().muted;
		pen.fillText(label, right - wide, top + 13);
		pen.strokeStyle = colour;
		pen.lineWidth = 3;
		pen.setLineDash(dash ?? []);
		pen.beginPath();
		pen.moveTo(right - wide - 18, top + 13);
		pen.lineTo(right - wide - 6, top + 13);
		pen.stroke();
		pen.setLineDash([]);
		right -= wide + 34;
	}
}

// What the second chart shows: the streams of the schema; without any, the busiest events.
function rated() {
	if (trace.streams.length > 0) return trace.streams.filter((stream) => !stream.event.hidden).slice(0, 4);
	return trace.events.filter((event) => !event.hidden).slice(0, 4).map((event) => ({ event, rate: null, fast: null }));
}

function countRates(size, first, bars) {
	const series = rated().map((stream) => ({
		...stream, sent: new Float64Array(bars), arrived: new Float64Array(bars), most: 0,
	}));
	const byEvent = new Map(series.map((line) => [line.event, line]));
	const key = (packet) => packet.sent;
	const to = lowerBound(state.shown, (first + bars) * size, key);
	for (let place = lowerBound(state.shown, first * size - trace.longest, key); place < to; place += 1) {
		const packet = state.shown[place];
		const bin = Math.floor(packet.sent / size) - first;
		for (const event of packet.itemEvents) {
			const line = byEvent.get(event);
			if (!line) continue;
			for (const share of packet.shares) {
				if (bin >= 0 && bin < bars) line.sent[bin] += 1;
				if (share.arrived === null) continue;
				const landed = Math.floor(share.arrived / size) - first;
				if (landed >= 0 && landed < bars) line.arrived[landed] += 1;
			}
		}
	}
	for (const line of series) {
		for (let bin = 0; bin < bars; bin += 1) {
			if (line.sent[bin] + line.arrived[bin] === 0) continue;
			// Streams are counted a second and receiver: as many clients as were there.
			const people = line.rate === null ? 1 : Math.max(clientsAt((first + bin + 0.5) * size), 1);
			line.sent[bin] /= size * people;
			line.arrived[bin] /= size * people;
			line.most = Math.max(line.most, line.sent[bin]);
		}
	}
	return { series };
}

function drawRates(top, height) {
	const colours = theme();
	const size = binSize(18, 0.5);
	const { first, series } = remembered("rates", size, countRates);
	const most = Math.max(1, ...series.map((line) => Math.max(line.most, line.rate ?? 0, line.fast ?? 0)));
	const streams = trace.streams.length > 0;
	frame(top, height, streams ? "streams" : "events", streams ? ["a second", "to one client"] : ["a second"]);
	// The line of the highest rate is not the top of the chart.
	const y = (rate) => top + height - 8 - (rate / (most * 1.08)) * (height - 32);
	clip(layout.gutter, top, layout.width - layout.right, top + height, () => {
		for (const line of series) {
			const colour = colourOf(line.event);
			for (const rate of [line.rate, line.fast]) {
				if (!rate) continue;
				pen.strokeStyle = colour;
				pen.globalAlpha = 0.4;
				pen.lineWidth = 1;
				pen.setLineDash([2, 4]);
				pen.beginPath();
				pen.moveTo(layout.gutter, y(rate));
				pen.lineTo(layout.width, y(rate));
				pen.stroke();
				pen.setLineDash([]);
				pen.globalAlpha = 1;
				pen.fillStyle = colours.muted;
				pen.fillText(`${rate}/s`, layout.gutter + 4, y(rate) - 7);
			}
			if (line.rate === null) {
				pen.fillStyle = colours.muted;
				pen.fillText(`${most.toFixed(most < 10 ? 1 : 0)}/s`, layout.gutter + 4, y(most) - 7);
			}
			stairs(line.sent, first, size, y, colour, 1.8, []);
			stairs(line.arrived, first, size, y, colour, 1.4, [3, 3]);
		}
	});
	const names = series.map((line) => [line.event.name, colourOf(line.event)]);
	chartLegend(top, [...names, ["sent", colours.muted], ["arrived", colours.muted, [3, 3]]]);
}

function clientsAt(seconds) {
	return trace.spans.filter((spans, side) => side > 0 && spans.some(([from, to]) => from <= seconds && seconds <= to)).length;
}

function stairs(values, first, size, y, colour, width, dash) {
	pen.strokeStyle = colour;
	pen.lineWidth = width;
	pen.setLineDash(dash);
	pen.beginPath();
	const from = Math.max(Math.floor(view.from / size) - first, 0);
	const to = Math.min(Math.ceil(view.to / size) - first, values.length);
	for (let bin = from; bin < to; bin += 1) {
		const height = y(values[bin]);
		if (bin === from) pen.moveTo(x((first + bin) * size), height); else pen.lineTo(x((first + bin) * size), height);
		pen.lineTo(x((first + bin + 1) * size), height);
	}
	pen.stroke();
	pen.setLineDash([]);
}
