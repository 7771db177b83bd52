// Starts the server: hears what players press, tells everyone what came of it.

import * as Board from "./Board";
import * as Net from "./Net";

Net.Press.On((player, light) => {
	const changes = Board.press(light);
	Net.Happened.FireAll({ Kind: "Pressed", By: player.Name, Changes: changes });
	const presses = Board.solvedAfter();
	if (presses !== undefined) {
		Net.Happened.FireAll({ Kind: "Solved", By: player.Name, Presses: presses });
	}
});

Net.Board.On(() => Board.board());
