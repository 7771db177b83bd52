-- The depot's network.
opt casing = "snake_case" -- as the game spells things

--[[ What
     lies in it. ]]
type Crate = struct {
	-- in kilograms
	weight: u16, -- never 0
}

-- Told to everyone.
event Arrived = { -- on each arrival
	from: Server,
	type: Reliable,
	call: ManyAsync,
	data: Crate,
} -- behind

namespace Yard = {
	-- inside
	event Left = { from: Server, type: Reliable, call: ManyAsync }
	-- last in the yard
}
-- the end
