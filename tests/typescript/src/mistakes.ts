// Misuses, each on the line above its mark, which names the error TypeScript has to raise there.

import * as Client from "./golden-typescript/Client";
import * as Server from "./golden-typescript/Server";
import * as Types from "./golden-typescript/Types";

declare const player: Player;
const lap: Types.Lap = { Number: 1, Time: 2 };

Server.LapDone.Fire({ Name: "Ada", Gear: "Low" }, lap);
//^ TS2554
Server.LapDone.FireAll({ Name: "Ada", Gear: "Middle" }, lap);
//^ TS2322
Server.LapDone.FireAll({ Gear: "Low" }, lap);
//^ TS2345
Server.LapDone.FireAll({ Name: "Ada", Gear: "Low" }, { ...lap, Time: "late" });
//^ TS2322
Server.LapDone.FireList(player, { Name: "Ada", Gear: "Low" }, lap);
//^ TS2345
Server.LapDone.On(() => {});
//^ TS2339
Server.Honk.Fire(3);
//^ TS2339
Server.Honk.On((tone: number) => print(tone));
//^ TS2345
Server.Ready.Predict(player, 1);
//^ TS2554
Server.Places.Set(undefined);
//^ TS2345
Server.Places.Clear(player);
//^ TS2554
Server.Purse.Set(5);
//^ TS2554
Server.Price.Invoke(1);
//^ TS2339
Server.Buy.On(() => "Stolen");
//^ TS2322
Server.Pit.Refuel.On(() => 3);
//^ TS2322
Server.Pit.Crew.On(() => {});
//^ TS2339
Server.Connected;
//^ TS2339
Server.Honk.On = () => () => {};
//^ TS2540
Server.SetPacketDropHandler((_, reason) => print(reason === "Late"));
//^ TS2367
const least: 25 = Server.Limits.Driver.Name.Max;
//^ TS2322
Server.Limits.Driver.Name.Max = 24;
//^ TS2540
Server.Kinds.Distance;
//^ TS2339
print(least, Server.GetTrafficStats().Events.Refuel);
//^ TS2339

Client.Start();
//^ TS2339
Client.LapDone.Fire(lap);
//^ TS2339
Client.Places.On((value) => print(value.size()));
//^ TS18048
Client.Aim.Fire(1, Vector3.zero, 5);
//^ TS2554
Client.Price.Invoke(1) + 1;
//^ TS2532
Client.Buy.Invoke(1).then((result) => print(result === "Stolen"));
//^ TS2367
const failed: number = Client.Roll.Invoke().Await()[1];
//^ TS2322
for (const [, slot] of Client.Pit.Crew.Iter()) print(failed, slot);
//^ TS2339
Types.Honk;
//^ TS2339
