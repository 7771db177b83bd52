/**
 * Holds the grammar to the compiler: each token of each schema has the scope of the class that the language server gives
 * it, and no other text has such a scope.
 *
 * `node test/grammar.mjs PROGRAM FOLDER..`: prints a line for each mismatch, and fails if there is one.
 */

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { Server } from "./server.mjs";

const require = createRequire(import.meta.url);
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

/** The scope of each class of the server's legend. A range is one token to the compiler and several here. */
const SCOPES = {
	comment: /^comment\./,
	keyword: /^keyword\.declaration\./,
	decorator: /^storage\.modifier\.attribute\./,
	field: /^keyword\.other\.field\./,
	enumMember: /^constant\.language\./,
	builtinType: /^support\.type\.primitive\./,
	class: /^support\.class\./,
	modifier: /^storage\.modifier\.saturate\./,
	number: /^(constant\.numeric|meta\.range)\./,
	string: /^string\.quoted\./,
	struct: /^entity\.name\.\w+\.declaration\./,
	property: /^variable\.other\.property\./,
	type: /^entity\.name\.type\.reference\./,
	variable: /^variable\.other\.option\./,
};

/** What a grammar that reads line by line cannot know, and why. */
const EXCEPTIONS = {
	"comment_open_bracket_with_equals_is_a_line.blink": "whether a comment's bracket closes on a later line",
	"comments.blink": "the same",
};

async function grammar() {
	const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
	await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length));
	const registry = new textmate.Registry({
		onigLib: Promise.resolve({
			createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
			createOnigString: (text) => new oniguruma.OnigString(text),
		}),
		loadGrammar: async (scope) => {
			if (scope !== "source.blink") {
				return null;
			}
			const path = new URL("../syntaxes/blink.tmLanguage.json", import.meta.url);
			return textmate.parseRawGrammar(readFileSync(path, "utf8"), path.pathname);
		},
	});
	return registry.loadGrammar("source.blink");
}

/** The scopes of each character of each line. */
function scopes(blink, lines) {
	let state = textmate.INITIAL;
	return lines.map((line) => {
		const { tokens, ruleStack, stoppedEarly } = blink.tokenizeLine(line, state);
		if (stoppedEarly) {
			throw new Error("a line takes too long");
		}
		state = ruleStack;
		const found = new Array(line.length);
		for (const token of tokens) {
			found.fill(token.scopes.slice(1), token.startIndex, token.endIndex);
		}
		return found;
	});
}

/** The class of each character of each line, by the server. */
async function classes(server, legend, path, text, lines) {
	const uri = pathToFileURL(path).toString();
	server.tell("textDocument/didOpen", { textDocument: { uri, languageId: "blink", version: 1, text } });
	const { data } = await server.ask("textDocument/semanticTokens/full", { textDocument: { uri } });
	server.tell("textDocument/didClose", { textDocument: { uri } });
	const found = lines.map((line) => new Array(line.length));
	let [line, character] = [0, 0];
	for (let at = 0; at < data.length; at += 5) {
		const [down, right, length, type] = data.slice(at, at + 4);
		[line, character] = down === 0 ? [line, character + right] : [line + down, right];
		found[line].fill(legend[type], character, character + length);
	}
	return found;
}

function mismatch(wanted, scopes) {
	if (wanted !== undefined) {
		return scopes.some((scope) => SCOPES[wanted].test(scope)) ? undefined : `is ${wanted}`;
	}
	const inRange = scopes.some((scope) => scope.startsWith("meta.range."));
	const given = Object.entries(SCOPES).find(([, form]) => scopes.some((scope) => form.test(scope)));
	// Bounds of an array are of no class.
	return given === undefined || inRange ? undefined : `is not ${given[0]}`;
}

const [program, ...folders] = process.argv.slice(2);
const blink = await grammar();
const server = new Server(program);
const { capabilities } = await server.start();
const legend = capabilities.semanticTokensProvider.legend.tokenTypes;
let [files, wrong, seen] = [0, 0, new Set()];
for (const folder of folders) {
	for (const name of readdirSync(folder).filter((one) => one.endsWith(".blink")).sort()) {
		if (name in EXCEPTIONS) {
			continue;
		}
		files += 1;
		const path = join(folder, name);
		const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
		const lines = text.split(/\r?\n/);
		const wanted = await classes(server, legend, path, text, lines);
		const given = scopes(blink, lines);
		for (const [row, line] of lines.entries()) {
			let told = "";
			for (let column = 0; column < line.length; column += 1) {
				if (/\s/.test(line[column])) {
					told = "";
					continue;
				}
				const kind = wanted[row][column];
				seen.add(kind);
				const why = mismatch(kind, given[row][column] ?? []);
				if (why !== undefined && why !== told) {
					wrong += 1;
					console.log(`${name}:${row + 1}:${column + 1}: ${line.slice(column).split(/\s/)[0]} ${why}: ${given[row][column]}`);
				}
				told = why;
			}
		}
	}
}
await server.stop();
const missing = Object.keys(SCOPES).filter((kind) => !seen.has(kind));
console.log(`${files} files, ${wrong} mismatches, classes not met: ${missing.join(", ") || "none"}`);
process.exitCode = wrong > 0 || missing.length > 0 || files === 0 ? 1 : 0;
