// The lights, and the one rule: a press switches a light and those beside it. Knows nothing of the network.

const SIDE = 5;

const lit = new Set<number>();
let presses = 0;

// The light itself, and those to its left, right, top and bottom that the board has.
function touched(light: number): number[] {
	const [row, column] = [light.idiv(SIDE), light % SIDE];
	const lights = [light];
	if (column > 0) lights.push(light - 1);
	if (column < SIDE - 1) lights.push(light + 1);
	if (row > 0) lights.push(light - SIDE);
	if (row < SIDE - 1) lights.push(light + SIDE);
	return lights;
}

export interface Change {
	Light: number;
	On: boolean;
}

// The lights that changed, and what each is now.
export function press(light: number): Change[] {
	presses += 1;
	return touched(light).map((one) => {
		const wasOn = lit.delete(one);
		if (!wasOn) lit.add(one);
		return { Light: one, On: !wasOn };
	});
}

// The lights that are on, in order.
export function board(): number[] {
	return [...lit].sort((a, b) => a < b);
}

// How many presses put every light out; undefined while one is on.
export function solvedAfter(): number | undefined {
	return lit.isEmpty() ? presses : undefined;
}
