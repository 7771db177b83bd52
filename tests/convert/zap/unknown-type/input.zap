type Big = u64
event A = { from: Server, type: Reliable, call: ManyAsync, data: Big }
