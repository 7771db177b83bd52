// Names that are words of TypeScript, or hide a global, as a game meets them. All of it compiles.

import * as Client from "./golden-typescript-names/Client";
import * as Server from "./golden-typescript-names/Server";

declare const player: Player;

Client.delete.fire(1, 2);
Server.delete.on((who, first, second, third) => print(who.Name, first + second, third));
Server.default.fire(player, 1, 2);
Server.class.fire_all("c\\d");
Server.undefined.fire_all(1, 2, 3, 4);
Client.await.invoke().then((value) => print(value + 1));
const [, value] = Client.await_.invoke().Await();
print(value);
const made: Server.class = { delete: 1, 'with \\"quotes\\" and \\back': 2 };
const map: Server.Map = Server.Map.read(Server.Map.write({ Tiles: new Map([[1, 2]]) }));
const empty: Server.void.null = Server.void.null.read(Server.void.null.write({ A: made, B: 1 }));
Server.void.Enum.switch.on((who, code) => print(who.UserId, code === Enum.KeyCode.A));
for (const [index, who, at] of Server.void.Enum.try.iter()) {
	print(index, who.Name, at.Magnitude);
}
Server.void.Shown.fire_all(player, Enum.KeyCode.A, empty);
const pair: Server.Pair<string, number, boolean> = { A: new Map([[1, "one"]]), B: 1, C: true };
print(map.Tiles.size(), pair);
const counts: Server._BlinkTrafficCounts = Server.get_traffic_stats().events["void.Enum.try"];
print(counts.sent_bytes);
