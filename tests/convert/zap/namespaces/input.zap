type Id = u16

namespace Shop = {
	type Item = struct { id: Id, label: string(..20) }

	namespace Admin = {
		type Price = u32 (0..100000)
		event SetPrice = { from: Client, type: Reliable, call: SingleAsync, data: (item: Item, price: Price) }
	}

	event Sold = { from: Server, type: Reliable, call: ManyAsync, data: (item: Item, price: Admin.Price) }
}

namespace Lobby = {
	type Id = string(..8)
	event Shop = { from: Server, type: Reliable, call: ManyAsync, data: (id: Id, item: Shop.Item, price: Shop.Admin.Price) }
}
