// The client of that game.

import * as Wire from "./golden-typescript/Client";

export const log: string[] = [];

Wire.LapDone.On((who, lap) => {
	log.push(`${who.Name}, ${who.Gear}, ${who.Seat ?? "no seat"}: lap ${lap.Number} in ${lap.Time}`);
});
Wire.Honk.Fire(3, true);
Wire.Pit.Crew.Fire(2);

async function shop() {
	await Wire.Reset.Invoke();
	log.push(await Wire.Buy.Invoke(1, 2));
	// One call a second is let through.
	task.wait(1.5);
	Wire.Buy.Invoke(5).then((answer) => log.push(answer));
}
shop();

const [litres, full] = Wire.Pit.Refuel.Invoke(20);
log.push(`${litres} litres, ${full ? "full" : "not full"}`);
const [success, rolled] = Wire.Roll.Invoke().Await();
if (success) {
	log.push(`rolled ${rolled}`);
}
