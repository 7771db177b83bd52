/**
 * As much of the editor's interface as the extension and its client library use while they start, answer and stop.
 *
 * What is not written here is a stand-in that can be called, made, extended and looked into, and gives another.
 */

import { pathToFileURL } from "node:url";

function standIn() {
	const target = function () {};
	return new Proxy(target, {
		get: (_, name) => {
			if (name === Symbol.toPrimitive) {
				return () => "";
			}
			if (name === "then" || typeof name === "symbol") {
				return undefined;
			}
			if (name === "prototype") {
				return target.prototype;
			}
			return (target[name] ??= standIn());
		},
		apply: () => standIn(),
		construct: () => ({ dispose() {} }),
	});
}

class Uri {
	constructor(text) {
		this.text = text;
		const parsed = new URL(text);
		[this.scheme, this.path] = [parsed.protocol.slice(0, -1), decodeURIComponent(parsed.pathname)];
		[this.authority, this.query, this.fragment, this.fsPath] = ["", "", "", this.path];
	}
	static parse(text) {
		return new Uri(text);
	}
	static file(path) {
		return new Uri(pathToFileURL(path).toString());
	}
	static from({ scheme, path }) {
		return new Uri(`${scheme}:${path}`);
	}
	toString() {
		return this.text;
	}
}

class EventEmitter {
	listeners = new Set();
	event = (listener) => {
		this.listeners.add(listener);
		return { dispose: () => this.listeners.delete(listener) };
	};
	fire(value) {
		for (const listener of [...this.listeners]) {
			listener(value);
		}
	}
	dispose() {
		this.listeners.clear();
	}
}

class Position {
	constructor(line, character) {
		[this.line, this.character] = [line, character];
	}
}

class Range {
	constructor(...ends) {
		[this.start, this.end] = ends.length === 4 ? [new Position(ends[0], ends[1]), new Position(ends[2], ends[3])] : ends;
	}
	contains({ line, character }) {
		const { start, end } = this;
		const behind = line > start.line || (line === start.line && character >= start.character);
		return behind && (line < end.line || (line === end.line && character <= end.character));
	}
}

class Diagnostic {
	constructor(range, message, severity) {
		[this.range, this.message, this.severity] = [range, message, severity];
	}
}

class Disposable {
	constructor(run) {
		this.run = run;
	}
	static from(...all) {
		return new Disposable(() => all.forEach((one) => one.dispose()));
	}
	dispose() {
		this.run?.();
	}
}

class CancellationTokenSource {
	token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
	cancel() {}
	dispose() {}
}

const nothing = () => new Disposable();
const here = (known) =>
	new Proxy(known, { get: (target, name) => (name in target ? target[name] : name === "then" ? undefined : (target[name] = standIn())) });

/** An editor with settings and one schema in front. */
export function editor({ settings, file, text }) {
	const said = { errors: [], infos: [], warnings: [], shown: [], executed: [], log: [] };
	const commands = new Map();
	const providers = new Map();
	const collections = [];
	const document = {
		uri: Uri.file(file),
		fileName: file,
		languageId: "blink",
		version: 1,
		isUntitled: false,
		getText: () => text,
	};
	const events = Object.fromEntries(["open", "close", "change", "configuration"].map((name) => [name, new EventEmitter()]));
	const section = (values) => ({ get: (key, fallback) => (key in values ? values[key] : fallback), has: (key) => key in values, ...values });
	const channel = here({ appendLine: (line) => said.log.push(line), append: (line) => said.log.push(line), show: () => {}, dispose: () => {} });
	const say = (list) => async (message) => void list.push(message);
	const vscode = here({
		version: "1.82.0",
		Uri,
		EventEmitter,
		Position,
		Range,
		Diagnostic,
		Disposable,
		CancellationTokenSource,
		CancellationError: class extends Error {},
		ViewColumn: { Beside: -2 },
		DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
		TextDocumentChangeReason: { Undo: 1, Redo: 2 },
		env: here({ language: "en", appName: "test", clipboard: {} }),
		commands: here({
			registerCommand: (name, run) => {
				commands.set(name, run);
				return new Disposable(() => commands.delete(name));
			},
			executeCommand: async (name, ...parameters) => {
				said.executed.push([name, ...parameters.map(String)]);
				return commands.get(name)?.(...parameters);
			},
		}),
		window: here({
			activeTextEditor: { document, selection: { active: new Position(0, 0) } },
			visibleTextEditors: [],
			tabGroups: here({ all: [], onDidChangeTabs: nothing, onDidChangeTabGroups: nothing }),
			createOutputChannel: () => channel,
			showErrorMessage: say(said.errors),
			showInformationMessage: say(said.infos),
			showWarningMessage: say(said.warnings),
			showQuickPick: async (choices) => choices[0],
			showTextDocument: async (shown) => void said.shown.push([shown.languageId, shown.getText()]),
			onDidChangeActiveTextEditor: nothing,
		}),
		workspace: here({
			workspaceFolders: [{ uri: Uri.file(file.replace(/[^/]+$/, "")), name: "test", index: 0 }],
			textDocuments: [document],
			notebookDocuments: [],
			fs: here({ isWritableFileSystem: () => true }),
			getConfiguration: (name) => section(name === "blinkblox" ? settings : name === undefined ? { blinkblox: settings } : {}),
			getWorkspaceFolder: () => undefined,
			createFileSystemWatcher: () => ({ onDidCreate: nothing, onDidChange: nothing, onDidDelete: nothing, dispose: () => {} }),
			onDidOpenTextDocument: events.open.event,
			onDidCloseTextDocument: events.close.event,
			onDidChangeTextDocument: events.change.event,
			onDidChangeConfiguration: events.configuration.event,
			registerTextDocumentContentProvider: (scheme, provider) => {
				providers.set(scheme, provider);
				return new Disposable(() => providers.delete(scheme));
			},
			openTextDocument: async (uri) => {
				const shown = providers.get(uri.scheme).provideTextDocumentContent(uri);
				return { uri, languageId: "plaintext", getText: () => shown };
			},
		}),
		languages: here({
			match: (selector, document) => ([selector].flat().some((one) => one.language === document.languageId) ? 10 : 0),
			getLanguages: async () => ["lua", "blink"],
			setTextDocumentLanguage: async (document, language) => Object.assign(document, { languageId: language }),
			createDiagnosticCollection: () => {
				const known = new Map();
				collections.push(known);
				return { set: (uri, all) => known.set(uri.toString(), all ?? []), delete: (uri) => known.delete(uri.toString()), clear: () => known.clear(), dispose: () => {} };
			},
			getDiagnostics: (uri) => collections.flatMap((known) => known.get(uri.toString()) ?? []),
		}),
	});
	return { vscode, said, commands, events, settings, document };
}
