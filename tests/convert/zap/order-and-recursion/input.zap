event First = { from: Server, type: Reliable, call: ManyAsync, data: (later: Later, deep: Far.Deep) }
type Later = struct { inner: Inner }
type Inner = struct { value: u8 }
type Tree = struct { value: u8, children: Tree[] }
type Ping = struct { pong: Pong? }
type Pong = struct { ping: Ping? }
event Second = { from: Server, type: Reliable, call: ManyAsync, data: (tree: Tree, ping: Ping, pong: Pong) }
namespace Far = {
	type Deep = struct { own: Own }
	type Own = struct { value: u8 }
	event Third = { from: Server, type: Reliable, call: ManyAsync, data: Deep }
}
