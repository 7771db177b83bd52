/** `node test/entries.mjs FILE.vsix [ENTRY]`: prints the names in a package, one a line; or the text of one of them. */

import { createRequire } from "node:module";

const yauzl = createRequire(import.meta.url)("yauzl");
const [file, wanted] = process.argv.slice(2);
yauzl.open(file, { lazyEntries: true }, (error, archive) => {
	if (error) {
		throw error;
	}
	archive.on("entry", (entry) => {
		if (wanted === undefined) {
			console.log(entry.fileName);
		}
		if (entry.fileName !== wanted) {
			archive.readEntry();
			return;
		}
		archive.openReadStream(entry, (error, stream) => {
			if (error) {
				throw error;
			}
			stream.pipe(process.stdout);
		});
	});
	archive.readEntry();
});
