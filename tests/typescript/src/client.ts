// What a game may do with the client and types modules of the golden case `typescript`. All of it compiles.

import * as Wire from "./golden-typescript/Client";
import * as Types from "./golden-typescript/Types";

declare module "./golden-typescript/Client" {
	interface BlinkFuture<T extends unknown[]> {
		IsComplete(): boolean;
	}
}
print(Wire.Roll.Invoke().IsComplete());

const connected: boolean = Wire.Connected;
Wire.SetDecodeErrorHandler((event, failure) => print(connected, event, failure));
Wire.Honk.Fire(3);
Wire.Honk.Fire(3, true);
Wire.Ready.Fire();
Wire.Aim.Fire();
Wire.Aim.Fire(undefined, Vector3.zero);
Wire.Pit.Crew.Fire(1);

Wire.Whole.On((value) => {
	const key: Enum.KeyCode = value.Key;
	const best: Types.Lap | undefined = value.Inner.Best.get(3);
	const lane: "Left" | "Right" | undefined = value.Lanes[0];
	const note: string | undefined = value.Note;
	print(key, best?.Number, lane, note, value.When.UnixTimestamp, value["Max HP"], value["1"]);
});
Wire.Touched.On((part, extra, mood, note) => print(part?.Position, extra, mood, note));
Wire.Places.On((places, serverTime) => print(places?.size(), serverTime + 1));
Wire.Purse.Predict(undefined, 1);

const price: number | undefined = Wire.Price.Invoke(7);
Wire.Buy.Invoke(1).then((result) => print(price, result === "Poor"));
async function shop(): Promise<"Bought" | "Poor"> {
	await Wire.Reset.Invoke();
	return Wire.Buy.Invoke(1, 2);
}
shop();
const [litres, full] = Wire.Pit.Refuel.Invoke(3);
print(litres + 1, full);
const outcome = Wire.Roll.Invoke().Await();
if (outcome[0]) {
	print(outcome[1] + 1);
}
Wire.Confirm.On((question) => $tuple(question === "Sure?", undefined));

for (const [index, tyre, sign, gear] of Wire.Pit.Wall.Board.Iter()) {
	print(index + tyre.Wear + sign, gear === "Low");
}

// A type of one module is that of another.
const lap: Types.Lap = Wire.Lap.Read(Types.Lap.Write({ Number: 1, Time: 2 }));
const limit: 100 = Types.Limits.Pit.Tyre.Wear.Max;
print(lap, limit);
