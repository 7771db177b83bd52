opt server_output = "src/server/Zap.luau"
opt client_output = "src/client/Zap.luau"

type Offer = struct { item: string(1..32), price: u32 }

-- What a player says.
event Say = {
	from: Client,
	type: Reliable,
	call: SingleAsync,
	data: (channel: u8, text: string),
}

event Offers = { from: Server, type: Reliable, call: ManyAsync, data: Offer[] }

funct Buy = { call: Async, args: (item: string(1..32), count: u8(1..10)), rets: boolean }
