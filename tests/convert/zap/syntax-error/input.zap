event Broken = {
	from: Server,
	type: Sometimes,
}
