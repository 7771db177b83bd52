// What this client knows of the board. Screens and controls would ask this module.

import * as Net from "./Net";

const lit = new Set<number>();
const story = new Array<string>();

function set(light: number, on: boolean) {
	if (on) lit.add(light);
	else lit.delete(light);
}

// Follows what happens to the board, and asks for it as it is.
export async function start() {
	Net.Happened.On((what) => {
		if (what.Kind === "Pressed") {
			for (const change of what.Changes) set(change.Light, change.On);
			story.push(`${what.By} changed ${what.Changes.size()}`);
		} else {
			story.push(`${what.By} solved it after ${what.Presses}`);
		}
	});
	// Answers and events arrive in the order they were sent: the board is newer than all that was heard before it.
	const board = await Net.Board.Invoke();
	lit.clear();
	for (const light of board) lit.add(light);
}

export function press(light: number) {
	Net.Press.Fire(light);
}

// The lights that are on, in order.
export function shown(): number[] {
	return [...lit].sort((a, b) => a < b);
}

// What has happened, in words.
export function told(): readonly string[] {
	return story;
}
