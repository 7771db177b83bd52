// The server of a small game over the golden case `typescript`; `play.spec.luau` plays it.

import * as Wire from "./golden-typescript/Server";

export const log: string[] = [];

Wire.Start();
Wire.Honk.On((player, tone, loud) => {
	log.push(`${player.Name} honks ${tone}, ${loud ? "loud" : "soft"}`);
});
Wire.Pit.Refuel.On((_, amount) => $tuple(amount / 2, amount > 10));
Wire.Buy.On((_, item, count) => (item === 1 && count === 2 ? "Bought" : "Poor"));
Wire.Reset.On(() => {
	log.push("reset");
});
Wire.Roll.On(() => 4);

export function tell() {
	Wire.LapDone.FireAll({ Name: "Ada", Gear: "Low" }, { Number: 1, Time: 2.5 });
	for (const [, player, slot, busy] of Wire.Pit.Crew.Iter()) {
		log.push(`${player.Name} takes slot ${slot}, ${busy ? "busy" : "free"}`);
	}
}
