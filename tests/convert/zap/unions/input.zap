type Union = (
	string
	| u32
	| enum { "hello", "world" }
	| Instance (Player)
	| unknown
)
event Either = { from: Client, type: Reliable, call: ManyAsync, data: (value: Union, other: (u8 | string)?) }
event Bare = { from: Client, type: Reliable, call: ManyAsync, data: (u8 | string) }
