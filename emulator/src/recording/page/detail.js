// The pane beside the timeline: how to read it, or everything about what is selected.
"use strict";

const pane = document.getElementById("detail");

function select(packet, { move = true, focus = false } = {}) {
	state.selected = packet;
	state.note = null;
	if (packet && move) reveal(packet);
	renderDetail();
	if (focus) pane.focus({ preventScroll: true });
	redrawChosen();
}

function selectNote(note) {
	state.selected = null;
	state.note = note;
	renderDetail();
	redrawChosen();
}

function renderDetail() {
	pane.replaceChildren();
	pane.scrollTop = 0;
	if (state.selected) renderPacket(state.selected);
	else if (state.note) renderNote(state.note);
	else renderGuide();
	document.body.classList.toggle("has-detail", state.selected !== null || state.note !== null);
}

// ---------------------------------------------------------------- nothing selected

function renderGuide() {
	const key = (kind, text) => el("li", {}, el("i", { class: `key ${kind}`, "aria-hidden": "true" }), text);
	pane.append(
		el("h2", {}, "How to read this"),
		el("p", {}, "Time runs from left to right. Every row is a machine: the server on top, then the players. ",
			"An arc is one message; it leaves where it is sent and lands where and when it arrives."),
		el("ul", { class: "keys" },
			key("reliable", "arrived, reliable"),
			key("unreliable", "arrived, unreliable (thinner)"),
			key("lost", "never arrived, or was dropped"),
			key("resent", "lost on the way and sent again"),
			key("wait", "arrived, waits for the next frame or a listener"),
			key("failed", "its handler failed"),
			key("log", "output of a script; amber a warning, red an error")),
		el("h2", {}, "What was sent"),
		eventTable(),
	);
}

function eventTable() {
	const row = (event) => {
		const name = el("button", { type: "button", class: "link", title: "Step to its next packet" }, event.name);
		name.addEventListener("click", () => jump(1, (packet) => packet.events.includes(event)));
		return el("tr", {},
			el("td", {}, swatch(event), name),
			el("td", { class: "number" }, event.count.toLocaleString("en")),
			el("td", { class: "number" }, showBytes(event.bytes)),
			el("td", { class: event.lost > 0 ? "number bad" : "number" }, event.lost > 0 ? event.lost.toLocaleString("en") : "–"));
	};
	const head = ["event", "packets", "bytes", "lost"].map((text, place) =>
		el("th", { scope: "col", class: place > 0 ? "number" : "" }, text));
	return el("table", { class: "events" },
		el("thead", {}, el("tr", {}, ...head)),
		el("tbody", {}, ...trace.events.slice(0, 40).map(row)));
}

function swatch(event) {
	const made = el("i", { class: "swatch", "aria-hidden": "true" });
	made.style.background = colourOf(event);
	return made;
}

// ---------------------------------------------------------------- a packet

function renderPacket(packet) {
	const title = el("h2", { id: "packet-title" }, swatch(packet.main), titleOf(packet));
	pane.append(
		toolbar(`#${packet.id}`),
		title,
		el("p", { class: "route" }, trace.sides[packet.from], " → ", receiversOf(packet)),
		facts(packet),
	);
	pane.append(journeys(packet));
	const bytes = bytesOf(packet);
	const link = new Linking();
	const items = itemsOf(packet);
	for (const item of items) pane.append(fieldTable(item, link));
	if (items.length === 0 && packet.args.length > 0) {
		pane.append(el("h3", {}, "Arguments"));
		pane.append(el("ol", { class: "args" }, ...packet.args.map((text) => el("li", {}, el("code", {}, text)))));
	}
	if (bytes !== null) {
		const plural = bytes.length === 1 ? "byte" : "bytes";
		pane.append(el("h3", {}, `${bytes.length} ${plural} on the wire`), hexDump(bytes, items, link));
	} else if (items.length === 0 && packet.args.length === 0) {
		pane.append(el("p", { class: "muted" }, "It carries nothing."));
	}
}

function toolbar(label) {
	const button = (text, title, run) => {
		const made = el("button", { type: "button", class: "quiet", title, "aria-label": title }, text);
		made.addEventListener("click", run);
		return made;
	};
	return el("div", { class: "tools" },
		el("span", { class: "number" }, label),
		button("‹", "Previous packet (K)", () => jump(-1)),
		button("›", "Next packet (J)", () => jump(1)),
		button("✕", "Close (Esc)", () => select(null)));
}

function facts(packet) {
	const pairs = [
		["sent", showSeconds(packet.sent)],
		["size", showBytes(packet.size)],
		["channel", packet.reliable ? "reliable, in order" : "unreliable"],
		["remote", breakable(packet.remote)],
	];
	if (packet.call !== "") pairs.push(["part of", packet.call]);
	if (packet.injected) pairs.push(["made by", "a test, not by the sender's code"]);
	return el("dl", { class: "facts-list" }, ...pairs.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

// A dotted name that may be broken behind its dots.
function breakable(name) {
	const made = el("span", {});
	name.split(".").forEach((part, place) => {
		if (place > 0) made.append(".", el("wbr"));
		made.append(part);
	});
	return made;
}

const FATES = {
	delivered: "handled",
	queued: "waits for a listener",
	sent: "still on its way",
	lost: "lost on the way",
	"dropped-size": "dropped: too large for an unreliable event",
	"dropped-rate": "dropped: over the client's rate",
	"dropped-queue": "dropped: nobody listened, or the queue was full",
	"dropped-leave": "dropped: a side left first",
	"dropped-test": "dropped by the test",
};

// What became of it for each receiver; a long list is folded.
function journeys(packet) {
	const list = packet.shares.map((share) => journey(packet, share));
	if (list.length <= 6) return el("div", {}, ...list);
	const lost = packet.lost > 0 ? `, ${packet.lost} lost` : "";
	return el("details", {}, el("summary", {}, `${list.length} receivers${lost}`), ...list);
}

function journey(packet, share) {
	const parts = [];
	if (share.arrived !== null) parts.push(`arrived after ${showDelay(share.arrived - packet.sent)}, at ${showSeconds(share.arrived)}`);
	if (share.handled !== null && share.handled - share.arrived > 0) {
		parts.push(`handled ${showDelay(share.handled - share.arrived)} later`);
	}
	if (share.resends > 0) parts.push(`sent again ${share.resends === 1 ? "once" : `${share.resends} times`}`);
	if (share.copies > 0) parts.push(`came ${share.copies + 1} times`);
	const made = el("div", { class: share.lost ? "journey bad" : "journey" },
		el("b", {}, trace.sides[share.side]), " ",
		el("span", { class: share.lost ? "fate bad" : share.resends > 0 ? "fate odd" : "fate" }, FATES[share.fate] ?? share.fate));
	if (parts.length > 0) made.append(el("p", {}, parts.join(", ")));
	for (const handler of share.handlers) {
		const place = handler.script === "" ? "a handler" : `${handler.script}:${handler.line}`;
		const frames = handler.frames > 0 ? ` after ${handler.frames} ${handler.frames === 1 ? "frame" : "frames"}` : "";
		// The end of a long name says most; all of it is in the tip.
		const short = place.split(".").slice(-2).join(".");
		made.append(el("p", { class: handler.error === "" ? "handler" : "handler bad", title: place },
			el("code", {}, breakable(short)), ` ${handler.result === "running" ? "has not ended" : handler.result}${frames}`,
			handler.error === "" ? null : el("span", {}, `: ${handler.error}`)));
	}
	return made;
}

// Which bytes belong to which field: hovering or focusing one lights the other up.
class Linking {
	constructor() {
		this.rows = [];
		this.cells = [];
	}

	addRow(row, from, to) {
		this.rows.push({ row, from, to });
		row.tabIndex = 0;
		row.addEventListener("mouseenter", () => this.light(from, to, row));
		row.addEventListener("mouseleave", () => this.dark());
		row.addEventListener("focus", () => this.light(from, to, row));
		row.addEventListener("blur", () => this.dark());
	}

	addCell(cell, byte) {
		(this.cells[byte] ??= []).push(cell);
		cell.addEventListener("mouseenter", () => {
			const own = this.rows.filter(({ from, to }) => from <= byte && byte < to);
			// The narrowest says most about the byte.
			own.sort((a, b) => a.to - a.from - (b.to - b.from));
			if (own.length === 0) return;
			this.light(own[0].from, own[0].to, ...own.map(({ row }) => row));
			own[0].row.scrollIntoView({ block: "nearest" });
		});
		cell.addEventListener("mouseleave", () => this.dark());
	}

	light(from, to, ...rows) {
		this.dark();
		rows.forEach((row) => row.classList.add("lit"));
		for (let byte = from; byte < to; byte += 1) this.cells[byte]?.forEach((cell) => cell.classList.add("lit"));
	}

	dark() {
		this.rows.forEach(({ row }) => row.classList.remove("lit"));
		this.cells.forEach((cells) => cells.forEach((cell) => cell.classList.remove("lit")));
	}
}

function fieldTable(item, link) {
	const head = el("h3", {}, item.event, item.form === "" ? null : ` ${item.form}`,
		el("span", { class: "muted" }, ` bytes ${hexOffset(item.from)}–${hexOffset(Math.max(item.to - 1, item.from))}`));
	const section = el("section", { class: "item" }, head);
	if (item.trouble !== "") section.append(el("p", { class: "bad" }, item.trouble));
	if (item.fields.length === 0) {
		section.append(el("p", { class: "muted" }, "It has no fields."));
		return section;
	}
	const rows = [];
	for (const field of item.fields) {
		const where = field.place !== "" ? field.place : hexOffset(field.from);
		const path = field.path === "" ? "value" : field.path;
		const row = el("tr", { data: { path, role: field.role } },
			el("td", { class: "where" }, where),
			el("th", { scope: "row" }, breakable(path), field.role === "" ? null : el("span", { class: "role" }, ` ${field.role}`)),
			el("td", { class: "value" }, el("code", {}, field.value)));
		link.addRow(row, field.from, field.to);
		rows.push(row);
	}
	section.append(el("table", { class: "fields" }, el("tbody", {}, ...rows)));
	return section;
}

function hexDump(bytes, items, link) {
	const owners = new Map();
	items.forEach((item, place) => {
		for (let byte = item.from; byte < item.to; byte += 1) owners.set(byte, place);
	});
	const covered = new Set(items.flatMap((item) => item.fields.flatMap((field) =>
		Array.from({ length: field.to - field.from }, (_, place) => field.from + place))));
	const wide = pane.clientWidth > 560 ? 16 : 8;
	const dump = el("div", { class: "hex", role: "img", "aria-label": "Bytes in hexadecimal" });
	// A batch of many kilobytes is read in its fields, not byte by byte.
	const most = Math.min(bytes.length, 4096);
	for (let start = 0; start < most; start += wide) {
		const hex = el("span", { class: "cells" });
		const letters = el("span", { class: "letters" });
		for (let byte = start; byte < Math.min(start + wide, most); byte += 1) {
			const value = bytes[byte];
			const owner = owners.get(byte);
			const shade = owner === undefined ? "" : owner % 2 === 0 ? " even" : " odd-item";
			const kind = owner !== undefined && !covered.has(byte) ? " head" : "";
			const cell = el("span", { class: `byte${shade}${kind}` }, value.toString(16).padStart(2, "0"));
			const letter = el("span", { class: "letter" }, value > 32 && value < 127 ? String.fromCharCode(value) : "·");
			for (const one of [cell, letter]) link.addCell(one, byte);
			hex.append(cell);
			letters.append(letter);
		}
		dump.append(el("div", { class: "line" }, el("span", { class: "where" }, hexOffset(start)), hex, letters));
	}
	if (most < bytes.length) dump.append(el("p", { class: "muted" }, `and ${bytes.length - most} more`));
	return dump;
}

// ---------------------------------------------------------------- anything else

const NOTES = { join: "A player joins", leave: "A player leaves", log: "Output", warning: "Warning", error: "Error", mark: "Mark" };

function renderNote(note) {
	pane.append(
		toolbar(showSeconds(note.at)),
		el("h2", {}, NOTES[note.kind] ?? note.kind),
		el("p", { class: "route" }, trace.sides[note.side]),
		el("pre", { class: note.kind === "error" ? "note bad" : "note" }, note.text));
}
