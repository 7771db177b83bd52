type Name = string (3..20)
type Note = string
type Blob = buffer (..1024)
type Winners = u8[]
type Path = u8 [10..20]
type Exact = u16 [4]
type Grid = Winners[..8]
type Far = boolean[0..70000]
event Post = {
	from: Client,
	type: Reliable,
	call: SingleAsync,
	data: struct {
		name: Name,
		note: Note,
		utf8: string.utf8 (..40),
		bytes: string.binary,
		blob: Blob,
		raw: buffer,
		winners: Winners,
		path: Path,
		exact: Exact,
		grid: Grid,
		far: Far,
		notes: string[..4],
		maybe: string (..9)?[]?,
	},
}
event Told = {
	from: Server,
	type: Unreliable,
	call: ManySync,
	data: (string, u8[])
}
