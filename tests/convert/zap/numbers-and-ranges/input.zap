type A = u8
type B = u16 (0..1000)
type C = u32(..)
type D = i8 (-5..5)
type E = i16 (..100)
type F = i32 (0..)
type G = f32 (-0.5..0.5)
type H = f64 (1)
type Clamped = u8 (0..300)
type Alias = B
event Numbers = {
	from: Client,
	type: Reliable,
	call: ManyAsync,
	data: (a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H, i: Clamped, j: Alias, k: u8 (3..9)?)
}
