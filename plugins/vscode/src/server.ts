/** The language server: started, stopped, restarted, and asked. */

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { ABSENT, fault, find, surroundings } from "./program";

const SETTINGS = "Open Settings";
const LOG = "Show Log";

export class Server implements vscode.Disposable {
	private readonly log = vscode.window.createOutputChannel("BlinkBlox");
	private client: LanguageClient | undefined;
	/** Starts and stops, one behind the other. */
	private turn: Promise<void> = Promise.resolve();

	start(): Promise<void> {
		return this.next(() => this.run());
	}

	stop(): Promise<void> {
		return this.next(() => this.end());
	}

	restart(): Promise<void> {
		return this.next(async () => {
			await this.end();
			await this.run();
		});
	}

	/** Has the server run one of its commands. `undefined` when no server runs, which the person is told. */
	async execute<T>(command: string, ...parameters: unknown[]): Promise<T | undefined> {
		if (this.client === undefined) {
			void vscode.window.showWarningMessage("BlinkBlox: the language server does not run.");
			return undefined;
		}
		return this.client.sendRequest<T>("workspace/executeCommand", { command, arguments: parameters });
	}

	dispose(): void {
		void this.stop();
		this.log.dispose();
	}

	private next(step: () => Promise<void>): Promise<void> {
		this.turn = this.turn.then(step, step);
		return this.turn;
	}

	private async run(): Promise<void> {
		const settings = vscode.workspace.getConfiguration("blinkblox");
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
		const program = find(settings.get("path", ""), folder, surroundings());
		const wrong = program === undefined ? ABSENT : await fault(program);
		if (program === undefined || wrong !== undefined) {
			this.complain(wrong ?? ABSENT);
			return;
		}
		this.log.appendLine(`Starting ${program} lsp`);
		const run = { command: program, args: ["lsp"], options: { cwd: folder } };
		const server: ServerOptions = { run, debug: run };
		const options: LanguageClientOptions = {
			documentSelector: [
				{ scheme: "file", language: "blink" },
				{ scheme: "untitled", language: "blink" },
			],
			outputChannel: this.log,
			initializationOptions: {
				profile: settings.get("profile"),
				inlayHints: settings.get("inlayHints"),
				compileOnSave: settings.get("compileOnSave"),
				entries: settings.get("entries"),
			},
			synchronize: {
				configurationSection: "blinkblox",
				fileEvents: vscode.workspace.createFileSystemWatcher("**/*.blink"),
			},
		};
		const client = new LanguageClient("blinkblox", "BlinkBlox", server, options);
		try {
			await client.start();
			this.client = client;
		} catch (error) {
			this.complain(`BlinkBlox: the language server did not start: ${String(error)}`);
		}
	}

	private async end(): Promise<void> {
		const client = this.client;
		this.client = undefined;
		await client?.dispose();
	}

	/** Says what is wrong without waiting for an answer. */
	private complain(why: string): void {
		this.log.appendLine(why);
		void vscode.window.showErrorMessage(why, SETTINGS, LOG).then((chosen) => {
			if (chosen === SETTINGS) {
				void vscode.commands.executeCommand("workbench.action.openSettings", "blinkblox.path");
			} else if (chosen === LOG) {
				this.log.show();
			}
		});
	}
}
