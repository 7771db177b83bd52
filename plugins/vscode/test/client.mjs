/**
 * Runs the bundled extension against the real command, in a stand-in of the editor.
 *
 * `node test/client.mjs PROGRAM SCHEMA`: fails at the first thing that is not as it should be.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";

import { editor } from "./editor.mjs";

const require = createRequire(import.meta.url);
const [program, file] = process.argv.slice(2);
const load = Module._load;

/** The extension, started in an editor with these settings. */
async function started(settings) {
	const open = editor({ settings, file, text: readFileSync(file, "utf8") });
	Module._load = function (name, ...rest) {
		return name === "vscode" ? open.vscode : load.call(this, name, ...rest);
	};
	const bundle = require.resolve("../dist/extension.js");
	delete require.cache[bundle];
	const extension = require(bundle);
	await extension.activate({ subscriptions: [] });
	return { ...open, extension };
}

async function until(what, look) {
	const end = Date.now() + 30_000;
	while (!look()) {
		assert(Date.now() < end, `waited too long: ${what}`);
		await new Promise((done) => setTimeout(done, 10));
	}
}

// Absent: said once, in words that say what to do.
const absent = await started({ path: "/nowhere/blinkblox" });
assert.equal(absent.said.errors.length, 1);
assert.match(absent.said.errors[0], /was not found.*PATH.*blinkblox\.path/);
await absent.commands.get("blinkblox.showServerModule")();
assert.match(absent.said.warnings[0], /does not run/);
await absent.extension.deactivate();

// Another program: not taken for it.
const other = await started({ path: process.execPath });
assert.match(other.said.errors[0], /is another program/);

// Found: the server starts and says what is wrong with the schema.
const { said, commands, vscode, document, extension, settings } = await started({ path: program, profile: "release", inlayHints: false });
assert.deepEqual(said.errors, []);
await until("diagnostics", () => vscode.languages.getDiagnostics(document.uri).length > 0);
const codes = vscode.languages.getDiagnostics(document.uri).map((one) => one.code);
assert.deepEqual(codes.map((code) => [code.value, code.target.toString()]), [
	["W3020", "https://blinkblox.github.io/blinkblox/codes.html#e3020-analyzemissingratelimit"],
]);

await commands.get("blinkblox.showServerModule")();
assert.deepEqual(said.errors, []);
assert.equal(said.shown.at(-1)[0], "lua");
assert.match(said.shown.at(-1)[1], /^--!strict/m);
await commands.get("blinkblox.showClientModule")();
assert.notEqual(said.shown.at(-1)[1], said.shown.at(-2)[1]);

await commands.get("blinkblox.explain")();
const [preview, page] = said.executed.at(-1);
assert.equal(preview, "markdown.showPreviewToSide");
assert.equal(page, "blinkblox:/E3020.md");

await commands.get("blinkblox.format")();
assert.equal(said.executed.at(-1)[0], "editor.action.formatDocument");

// Restarted, it is the same again; with the command gone, it says so.
await commands.get("blinkblox.restart")();
assert.deepEqual(said.errors, []);
settings.path = "/nowhere/blinkblox";
await commands.get("blinkblox.restart")();
assert.match(said.errors[0], /was not found/);
await extension.deactivate();
console.log("the extension works");
