/** Bundles the extension into `dist/extension.js`, and gathers the licences of what is bundled. */

import { build } from "esbuild";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { metafile } = await build({
	entryPoints: ["src/extension.ts"],
	outfile: "dist/extension.js",
	bundle: true,
	external: ["vscode"],
	format: "cjs",
	platform: "node",
	target: "node18",
	minify: true,
	metafile: true,
});

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
	const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
	if (found !== null) {
		packages.add(found[1]);
	}
}
const notices = [...packages].sort().map((folder) => {
	const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
	const text = file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").trim() : license;
	return `${name} ${version}\n\n${text}\n`;
});
writeFileSync("dist/NOTICES.txt", `The extension contains these packages.\n\n${notices.join("\n----\n\n")}`);
