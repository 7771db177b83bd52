// What is shown: the stretch of time, the filters, what is selected; and small helpers everything uses.
"use strict";

const view = { from: 0, to: trace.end, scroll: 0 };
const filters = { find: "", side: "", way: "", fate: "" };
const state = { selected: null, note: null, hovered: null, shown: [], filtered: 0 };

// Ten colours that stay apart for most eyes; red and amber are left to what goes wrong.
const LIGHT = ["#2f6fde", "#0f8a7e", "#8a4fd8", "#c8357f", "#4c8c1f", "#8a5a12", "#0c86b3", "#5b6474", "#4a45c9", "#6f7d0f"];
const DARK = ["#7aa8ff", "#3fd0c0", "#bd97ff", "#ff7fb8", "#93d45f", "#d9a860", "#5cc8f2", "#a9b3c4", "#9a97ff", "#c6d44c"];

function isDark() {
	const forced = document.documentElement.dataset.theme;
	return forced ? forced === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function colourOf(event) {
	const list = isDark() ? DARK : LIGHT;
	return list[event.colour % list.length];
}

let themeCache = null;
function theme() {
	if (!themeCache) {
		const style = getComputedStyle(document.documentElement);
		const read = (name) => style.getPropertyValue(`--${name}`).trim();
		themeCache = {};
		for (const name of ["ground", "panel", "line", "faint", "text", "muted", "bad", "odd", "accent", "down", "up"]) {
			themeCache[name] = read(name);
		}
	}
	return themeCache;
}

function forgetTheme() {
	themeCache = null;
}

// Packets that the filters leave in, in order of sending.
function applyFilters() {
	const find = filters.find.trim().toLowerCase();
	const side = filters.side === "" ? null : Number(filters.side);
	const fits = (packet) => {
		if (packet.events.every((event) => event.hidden)) return false;
		if (side !== null && packet.from !== side && !packet.shares.some((share) => share.side === side)) return false;
		if (filters.way === "down" && packet.from !== 0) return false;
		if (filters.way === "up" && packet.from === 0) return false;
		switch (filters.fate) {
			case "trouble": if (!packet.trouble) return false; break;
			case "lost": if (packet.lost === 0) return false; break;
			case "resent": if (packet.resends === 0) return false; break;
			case "queued": if (!packet.queued) return false; break;
			case "error": if (!packet.failed) return false; break;
		}
		return find === "" || holds(packet, find);
	};
	state.shown = trace.packets.filter(fits);
	state.filtered += 1;
}

function holds(packet, find) {
	if (find.startsWith("#")) return `#${packet.id}` === find;
	if (packet.remote.toLowerCase().includes(find)) return true;
	if (packet.events.some((event) => event.name.toLowerCase().includes(find))) return true;
	if (packet.args.some((text) => text.toLowerCase().includes(find))) return true;
	return packet.itemRows.some((item) =>
		item[5].some((field) => packet.text(field[5]).toLowerCase().includes(find)));
}

// First place in a list, sorted by `key`, that is not below `value`.
function lowerBound(list, value, key) {
	let [low, high] = [0, list.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (key(list[middle]) < value) low = middle + 1; else high = middle;
	}
	return low;
}

function clampView() {
	const span = Math.min(Math.max(view.to - view.from, 0.0005), trace.end * 1.04);
	const slack = span * 0.02;
	const from = Math.min(Math.max(view.from, -slack), trace.end + slack - span);
	view.from = Math.max(from, -slack);
	view.to = view.from + span;
}

function zoom(factor, around) {
	const centre = around ?? (view.from + view.to) / 2;
	const span = Math.min(Math.max((view.to - view.from) * factor, 0.0005), trace.end * 1.04);
	const part = (centre - view.from) / (view.to - view.from);
	view.from = centre - span * part;
	view.to = view.from + span;
	clampView();
	redraw();
}

function pan(seconds) {
	view.from += seconds;
	view.to += seconds;
	clampView();
	redraw();
}

function fit() {
	view.from = -trace.end * 0.01;
	view.to = trace.end * 1.01;
	clampView();
	redraw();
}

// Moves the view so that a packet's journey is in it.
function reveal(packet) {
	const last = Math.max(packet.sent, ...packet.shares.map((share) => share.handled ?? share.arrived ?? packet.sent));
	const span = view.to - view.from;
	if (packet.sent >= view.from + span * 0.05 && last <= view.to - span * 0.05) return;
	const wanted = Math.max(Math.min(span, Math.max((last - packet.sent) * 8, 0.5)), (last - packet.sent) * 1.5);
	view.from = (packet.sent + last) / 2 - wanted / 2;
	view.to = view.from + wanted;
	clampView();
	redraw();
}

function showSeconds(seconds, decimals = 3) {
	return `${seconds.toFixed(decimals)} s`;
}

function showDelay(seconds) {
	const ms = seconds * 1000;
	return ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${seconds.toFixed(2)} s`;
}

function showBytes(bytes) {
	if (bytes < 1000) return `${Math.round(bytes)} B`;
	return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function hexOffset(byte) {
	return `0x${byte.toString(16).padStart(4, "0")}`;
}

// An element. Properties are set as they are; children are elements or texts, never markup.
function el(tag, properties = {}, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(properties)) {
		if (name === "class") made.className = value;
		else if (name === "data") Object.assign(made.dataset, value);
		else if (name.startsWith("aria-") || name === "role" || name === "scope") made.setAttribute(name, value);
		else made[name] = value;
	}
	made.append(...children.filter((child) => child !== null && child !== undefined));
	return made;
}

let asked = 0;
let stale = true;

// Draws everything anew in the next frame.
function redraw() {
	stale = true;
	redrawChosen();
}

// Draws what is hovered and selected anew, over what is there.
function redrawChosen() {
	if (asked !== 0) return;
	asked = requestAnimationFrame(() => {
		asked = 0;
		if (stale) drawTimeline(); else drawOver();
	});
}
