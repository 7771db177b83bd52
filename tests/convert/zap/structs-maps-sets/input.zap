type Item = struct {
	name: string(1..24),
	price: u16,
	"is-new": boolean,
}
type Empty = struct {}
type Prices = map { [string(..24)]: u16 }
type Owned = set { string(..24) }
type Items = Item[]
type Maybe = Item?
type Same = Item
type ByItem = map { [Item]: u8 }
type Holes = map { [u8]: u8? }
type Unused = Item[..4]
event Shop = {
	from: Server,
	type: Reliable,
	call: ManyAsync,
	data: (items: Items, maybe: Maybe, same: Same, prices: Prices, owned: Owned, byItem: ByItem, holes: Holes, empties: Empty[])
}
