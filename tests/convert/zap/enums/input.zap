type RoundStatus = enum { Starting, Playing, Intermission }
type Quoted = enum { "Success", "Not Found" }
type Shape = enum "Kind" {
	Circle { Radius: f32 },
	Square {
		Side: f32,
		Status: RoundStatus,
	},
	"Two Words" {},
}
type Round = RoundStatus
event Status = {
	from: Server,
	type: Reliable,
	call: ManyAsync,
	data: (status: RoundStatus, quoted: Quoted, shape: Shape, again: Round, inline: enum { A, B }, nothing: enum {})
}
