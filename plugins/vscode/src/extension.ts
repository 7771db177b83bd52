/**
 * The extension: starts `blinkblox lsp` for `.blink` files, and shows what only the command can make.
 *
 * `program.ts` finds the command, `server.ts` runs the language server, `views.ts` shows its texts.
 */

import * as vscode from "vscode";

import { Server } from "./server";
import { Views } from "./views";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
	const started = new Server();
	server = started;
	const views = new Views(started);
	const command = (name: string, run: () => unknown) => vscode.commands.registerCommand(`blinkblox.${name}`, run);
	context.subscriptions.push(
		started,
		views,
		command("restart", () => started.restart()),
		command("format", () => vscode.commands.executeCommand("editor.action.formatDocument")),
		command("showServerModule", () => views.showModule("server")),
		command("showClientModule", () => views.showModule("client")),
		command("explain", () => views.explain()),
		vscode.workspace.onDidChangeConfiguration(async (change) => {
			// The other settings reach the server while it runs.
			if (change.affectsConfiguration("blinkblox.path")) {
				await started.restart();
			}
		}),
	);
	await started.start();
}

export async function deactivate(): Promise<void> {
	await server?.stop();
}
