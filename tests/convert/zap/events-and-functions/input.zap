event NoData = { from: Client, type: Reliable, call: ManyAsync }
event OneUnnamed = { from: Client, type: Reliable, call: ManySync, data: boolean }
event TwoUnnamed = { from: Client, type: Unreliable, call: SingleAsync, data: (boolean, u32) }
event Named = { from: Server, type: Reliable, call: SingleSync, data: (Foo: boolean, Bar: u32, Player: string) }
event OneInParentheses = { from: Server, type: Reliable, call: Polling, data: (u8) }
event OneNamed = { from: Server, type: Reliable, call: ManyAsync, data: (end: u8) }
event OptionalGroup = { from: Server, type: Reliable, call: ManyAsync, data: (u8)? }
funct Test = {
	call: Sync,
	args: struct { foo: u8, bar: string },
	rets: enum { "Success", "Fail" },
}
funct Nothing = { call: Async }
event Remotes = { from: Server, type: Reliable, call: ManyAsync }
event number = { from: Server, type: Reliable, call: ManyAsync }
type number = u8
