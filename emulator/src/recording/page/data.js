// The trace, as the page holds it: read once from the document beside this script.
//
// Its shape, with `text` a place in `texts` and times in seconds:
//   packets  [id, sent, from, flags, size, remote text, call text, shares, items, bytes in base64, argument texts]
//            flags: 1 reliable, 2 to everyone, 4 made by a test
//   shares   [side, fate text, arrived, handled, resends, copies, handlers]
//   handlers [script text, line, result text, error text, frames, began]
//   items    [event text, form text, first byte, byte behind the last, trouble text, fields]
//   fields   [path text, role text, first byte, byte behind the last, place text, value text]
//   notes    [seconds, side, kind, text]
//   streams  [event text, sends a second, sends a second while fast]
"use strict";

const trace = readTrace(JSON.parse(document.getElementById("data").textContent));

function readTrace(raw) {
	const text = (place) => raw.texts[place];
	const events = new Map();
	const eventNamed = (name) => {
		if (!events.has(name)) {
			events.set(name, { name, index: events.size, count: 0, bytes: 0, lost: 0, hidden: false, colour: 0 });
		}
		return events.get(name);
	};
	const packets = raw.packets.map((row, index) => readPacket(row, index, text, eventNamed));
	packets.sort((a, b) => a.sent - b.sent || a.index - b.index);
	packets.forEach((packet, index) => { packet.index = index; });

	let end = raw.end;
	let longest = 0;
	for (const packet of packets) {
		for (const share of packet.shares) {
			const last = share.handled ?? share.arrived ?? packet.sent;
			end = Math.max(end, last);
			longest = Math.max(longest, last - packet.sent);
		}
	}
	// The busiest events get the first colours.
	const ranked = [...events.values()].sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
	ranked.forEach((event, rank) => { event.colour = rank; });
	const streams = raw.streams
		.map(([name, rate, fast]) => ({ event: events.get(text(name)), rate, fast }))
		.filter((stream) => stream.event);
	const notes = raw.notes.map(([at, side, kind, note], index) => ({ index, at, side, kind, text: text(note) }));
	return {
		title: raw.title,
		test: raw.test,
		project: raw.project,
		seed: raw.seed,
		tool: raw.tool,
		fps: raw.fps,
		sides: raw.sides,
		end: Math.max(end, 0.001),
		longest,
		packets,
		notes,
		events: ranked,
		streams,
		spans: presence(raw.sides.length, notes, end),
	};
}

function readPacket(row, index, text, eventNamed) {
	const [id, sent, from, flags, size, remote, call, shareRows, itemRows, raw, args] = row;
	const shares = shareRows.map(([side, fate, arrived, handled, resends, copies, handlers]) => ({
		side,
		fate: text(fate),
		lost: !["delivered", "queued", "sent"].includes(text(fate)),
		arrived,
		handled,
		resends,
		copies,
		handlers: handlers.map(([script, line, result, error, frames, began]) => ({
			script: text(script), line, result: text(result), error: text(error), frames, began,
		})),
	}));
	const remoteName = text(remote);
	const packet = {
		index, id, sent, from, size, shares, raw,
		reliable: (flags & 1) !== 0,
		toAll: (flags & 2) !== 0,
		injected: (flags & 4) !== 0,
		remote: remoteName,
		call: text(call),
		itemRows,
		args: args.map(text),
		text,
		events: [],
		itemEvents: [],
		lost: shares.filter((share) => share.lost).length,
		resends: shares.reduce((sum, share) => sum + share.resends, 0),
		queued: shares.some((share) => share.fate === "queued" || (share.handled ?? 0) - (share.arrived ?? 0) > 0.1),
		failed: shares.some((share) => share.handlers.some((handler) => handler.error !== "")),
		unread: itemRows.some((item) => item[4] !== 0),
	};
	const names = itemRows.map((item) => [text(item[0]), item[3] - item[2]]);
	if (names.length === 0) {
		names.push([remoteName.slice(remoteName.lastIndexOf(".") + 1), size]);
	}
	let most = -1;
	for (const [name, bytes] of names) {
		const event = eventNamed(name);
		event.count += 1;
		event.bytes += bytes * shares.length;
		event.lost += packet.lost;
		packet.itemEvents.push(event);
		if (!packet.events.includes(event)) packet.events.push(event);
		// A packet has the colour of what it holds most of.
		if (bytes > most) [most, packet.main] = [bytes, event];
	}
	packet.trouble = packet.lost > 0 || packet.resends > 0 || packet.queued || packet.failed || packet.unread;
	return packet;
}

// When each side was there: lists of [from, to].
function presence(count, notes, end) {
	const spans = Array.from({ length: count }, () => []);
	if (count > 0) spans[0].push([0, end]);
	for (const note of notes) {
		const own = spans[note.side];
		if (!own || note.side === 0) continue;
		if (note.kind === "join") own.push([note.at, end]);
		if (note.kind === "leave" && own.length > 0) own[own.length - 1][1] = note.at;
	}
	spans.forEach((own) => { if (own.length === 0) own.push([0, end]); });
	return spans;
}

// What a packet holds, made readable when it is looked at.
function itemsOf(packet) {
	const { text } = packet;
	return packet.itemRows.map(([event, form, from, to, trouble, fields]) => ({
		event: text(event), form: text(form), from, to, trouble: text(trouble),
		fields: fields.map(([path, role, first, last, place, value]) => ({
			path: text(path), role: text(role), from: first, to: last, place: text(place), value: text(value),
		})),
	}));
}

function bytesOf(packet) {
	if (packet.raw === null) return null;
	return Uint8Array.from(atob(packet.raw), (letter) => letter.charCodeAt(0));
}

// What people call a packet: its events, equal ones counted.
function titleOf(packet) {
	if (packet.itemRows.length === 0) return packet.main.name;
	const counts = new Map();
	for (const [event, form] of packet.itemRows) {
		const name = packet.text(form) === "" ? packet.text(event) : `${packet.text(event)} ${packet.text(form)}`;
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	return [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ");
}

function receiversOf(packet) {
	return packet.toAll ? "everyone" : packet.shares.map((share) => trace.sides[share.side]).join(", ");
}
