// What a game may do with the server module of the golden case `typescript`. All of it compiles.

import * as Wire from "./golden-typescript/Server";
import { Driver, Everything, Lap, Lookup, Order, Page, Pit } from "./golden-typescript/Server";

declare const player: Player;
declare const everything: Everything;

Wire.SetRateLimitHandler((who, event, refused) => print(who.Name, event ?? "a packet", refused + 1));
Wire.SetDecodeErrorHandler((who, event, failure) => print(who.UserId, event?.size(), failure.size()));
Wire.SetPacketDropHandler((who, reason, refused, detail) => {
	const known: "Malformed" | "Oversized" | "Budget" | "Instances" | "Events" = reason;
	print(who, known, refused + detail);
});
Wire.SetListenerErrorHandler((who, event, failure, count) => print(who, event.size(), failure, count + 1));
Wire.SetListenerErrorHandler(undefined);
Wire.Start();
Wire.StepReplication();

const disconnect: () => void = Wire.Honk.On((who, tone, loud) => print(who.Name, tone + 1, loud === true));
disconnect();
Wire.Ready.On((who) => print(who.Name));
Wire.Honk.Predict(player, 3);
Wire.Honk.Predict(player, 3, true);
Wire.Aim.On((who, target, at, sentAt) => print(who, (target ?? 0) + sentAt, at?.Magnitude));

const driver: Driver = { Name: "Ada", Gear: "Low" };
const lap: Lap = { Number: 1, Time: 62.5 };
Wire.LapDone.Fire(player, { ...driver, Seat: 2 }, lap);
Wire.LapDone.FireAll(driver, lap);
Wire.LapDone.FireList([player], driver, lap);
Wire.LapDone.FireExcept(player, driver, lap);
Wire.Touched.FireAll(undefined, "anything");
Wire.Touched.FireAll(undefined, 1, 2, "note");
Wire.Whole.FireAll({ ...everything, "Max HP": 100, Lights: { Head: true, Brake: false, "Left Turn": true } });

const page: Page<Lap> = { Index: 0, Rows: [lap] };
const lookup: Lookup<Page<number>> = new Map([["one", { Index: 1, Rows: [1, 2], Next: 3 }]]);
Wire.Pages.FireAll(page, lookup);

Wire.Places.Set([Vector3.zero]);
Wire.Places.SetFast(true);
Wire.Places.Urgent();
Wire.Places.Clear();
Wire.Purse.Set(player, 5);
Wire.Purse.SetFast(player, false);
Wire.Purse.Clear(player);

Wire.Price.On((who, item) => (item === 1 ? undefined : who.UserId));
Wire.Buy.On((_, item, count) => (item + (count ?? 1) > 2 ? "Bought" : "Poor"));
Wire.Reset.On(() => {});
const [success, answer, reason] = Wire.Confirm.Invoke(player, "Sure?").Await();
if (success) {
	const agreed: boolean = answer;
	const why: string | undefined = reason;
	print(agreed, why);
}

Pit.Refuel.On((_, amount) => $tuple(amount / 2, true));
for (const [index, who, slot, busy] of Wire.Pit.Crew.Iter()) {
	print(index + slot, who.Name, busy ?? false);
}
Wire.Pit.Wall.Board.FireAll({ Wear: 3 }, 1, "Reverse");
const sign: Pit.Wall.Sign = 7;
const distance: Wire.Kinds.Distance = sign;
Wire.Pit.Left.FireAll(distance);

const stored: buffer = Wire.Lap.Write(lap);
const read: Lap = Wire.Lap.Read(stored);
const tyre: Pit.Tyre = Pit.Tyre.Read(Pit.Tyre.Write({ Wear: read.Number }));
print(tyre.Wear);

function describe(order: Order): number {
	if (order.Kind === "Move") {
		return order.To.Magnitude;
	}
	return order.Kind === "Use Item" ? order.Slot : 0;
}
describe({ Kind: "Halt" });

const most: 24 = Wire.Limits.Driver.Name.Max;
const open: number = Wire.Limits.Everything.Open.Max;
const rows: 4 = Wire.Limits.Pages[1].Rows.Length.Max;
print(most, open, rows, Wire.Remotes.Reliable);

const stats = Wire.GetTrafficStats();
print(stats.Events.Honk.ReceivedBytes + stats.Events["Pit.Crew"].Received + stats.Reliable.SentBytes);
Wire.ResetTrafficStats();
