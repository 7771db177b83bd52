opt server_output = "src/server/Network.luau"
opt client_output = "src/client/Network.luau"
opt call_default = "ManyAsync"

-- Rounds

type Team = enum { Red, Blue, Spectator }
type Standing = struct { player: Instance (Player), team: Team, score: u16 }

event RoundStarted = { from: Server, type: Reliable, data: (map: string(1..40), seconds: u16) }
event Standings = { from: Server, type: Reliable, data: Standing[..40] }
event PickTeam = { from: Client, type: Reliable, data: Team }

-- Movement

type Pose = struct { position: Vector3, look: vector(f32, f32, f32), crouched: boolean }
event Move = { from: Client, type: Unreliable, call: SingleSync, data: Pose }
event Moved = { from: Server, type: Unreliable, data: map { [u16]: Pose } }

-- Shop

namespace Shop = {
	type ItemId = string(1..32)
	type Offer = struct { item: ItemId, price: u32, stock: u8? }
	event Restocked = { from: Server, type: Reliable, data: Offer[] }
	funct Buy = {
		call: Async,
		args: (item: ItemId, count: u8 (1..10)),
		rets: enum "outcome" {
			Bought { coins: u32 },
			Refused { reason: string(..80) },
		},
	}
}

-- Chat

event Say = { from: Client, type: Reliable, data: (channel: string, text: string(1..200)) }
event Said = { from: Server, type: Reliable, data: (speaker: Instance (Player), text: string) }
