/** Texts of the server in editors of their own: generated modules and explanations. */

import * as vscode from "vscode";

import type { Server } from "./server";

const SCHEME = "blinkblox";

/** A text with its name, as the server gives it. */
interface Shown {
	readonly name: string;
	readonly text: string;
}

export class Views implements vscode.TextDocumentContentProvider, vscode.Disposable {
	private readonly texts = new Map<string, string>();
	private readonly changed = new vscode.EventEmitter<vscode.Uri>();
	private readonly registration: vscode.Disposable;
	readonly onDidChange = this.changed.event;

	constructor(private readonly server: Server) {
		this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
	}

	provideTextDocumentContent(uri: vscode.Uri): string {
		return this.texts.get(uri.toString()) ?? "";
	}

	/** Shows what the schema in front becomes, unsaved changes and all. */
	async showModule(side: "server" | "client"): Promise<void> {
		const editor = vscode.window.activeTextEditor;
		if (editor?.document.languageId !== "blink") {
			void vscode.window.showInformationMessage("BlinkBlox: open a schema first.");
			return;
		}
		await this.orSay(async () => {
			const schema = editor.document.uri.toString();
			const shown = await this.server.execute<Shown>("blinkblox.server.module", schema, side);
			if (shown === undefined) {
				return;
			}
			const document = await this.open(shown);
			const languages = await vscode.languages.getLanguages();
			const language = ["luau", "lua"].find((one) => languages.includes(one)) ?? "plaintext";
			await vscode.languages.setTextDocumentLanguage(document, language);
			await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
		});
	}

	/** Shows the page of the diagnostic at the cursor, or of one that is chosen. */
	async explain(): Promise<void> {
		const code = await this.code();
		if (code === undefined) {
			return;
		}
		await this.orSay(async () => {
			const shown = await this.server.execute<Shown>("blinkblox.server.explain", code);
			if (shown !== undefined) {
				const document = await this.open(shown);
				await vscode.commands.executeCommand("markdown.showPreviewToSide", document.uri);
			}
		});
	}

	dispose(): void {
		this.registration.dispose();
		this.changed.dispose();
	}

	private async open(shown: Shown): Promise<vscode.TextDocument> {
		const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${shown.name}` });
		this.texts.set(uri.toString(), shown.text);
		this.changed.fire(uri);
		return vscode.workspace.openTextDocument(uri);
	}

	private async code(): Promise<string | undefined> {
		const editor = vscode.window.activeTextEditor;
		if (editor === undefined) {
			return undefined;
		}
		const all = vscode.languages.getDiagnostics(editor.document.uri);
		const ours = all.filter((one) => one.source === "blinkblox");
		const here = ours.filter((one) => one.range.contains(editor.selection.active));
		const codes = [...new Set((here.length > 0 ? here : ours).map((one) => codeOf(one)))].sort();
		if (codes.length === 0) {
			void vscode.window.showInformationMessage("BlinkBlox: this schema has no diagnostic.");
		}
		return codes.length > 1 ? vscode.window.showQuickPick(codes, { title: "Which diagnostic?" }) : codes[0];
	}

	/** Shows why the server refused, in its own words. */
	private async orSay(step: () => Promise<void>): Promise<void> {
		try {
			await step();
		} catch (error) {
			void vscode.window.showErrorMessage(`BlinkBlox: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
}

function codeOf(diagnostic: vscode.Diagnostic): string {
	const code = diagnostic.code;
	return String(typeof code === "object" ? code.value : (code ?? ""));
}
