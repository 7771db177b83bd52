type Any = Instance
type Part = Instance (BasePart)
type Dotted = Instance.Model
type Position = vector(f32, f32, f32)
type Size = vector(u8, f32)
type Flat = vector(i16, i16)
type Bare = vector
event All = {
	from: Server,
	type: Reliable,
	call: ManyAsync,
	data: (
		any: Any,
		part: Part?,
		dotted: Dotted,
		position: Position,
		size: Size,
		flat: Flat,
		bare: Bare,
		three: Vector3,
		two: Vector2,
		frame: CFrame,
		aligned: AlignedCFrame,
		color: Color3,
		brick: BrickColor,
		date: DateTime,
		millis: DateTimeMillis,
		unknown: unknown,
		maybe: unknown?,
		flag: boolean,
	)
}
