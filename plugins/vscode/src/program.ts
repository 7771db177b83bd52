/** Where the command `blinkblox` is. Knows nothing of the editor. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** The surroundings that are looked at; the process's own unless a test gives others. */
export interface Surroundings {
	readonly platform: NodeJS.Platform;
	readonly path: string;
	readonly home: string;
}

/** Shown when there is no command: what, and what to do. */
export const ABSENT =
	"BlinkBlox: the command `blinkblox` was not found. Install it and put it on your PATH, or name it in the setting " +
	"`blinkblox.path`. Colours and snippets work without it.";

export function surroundings(): Surroundings {
	return { platform: process.platform, path: process.env["PATH"] ?? "", home: homedir() };
}

/**
 * The path of the command: what the setting names, taken from the folder that is open when it is relative; else the first
 * on `PATH`; else one of a toolchain manager, whose folder an editor started from a desktop often does not have on its
 * `PATH`. `undefined` when there is none.
 */
export function find(setting: string, folder: string | undefined, around: Surroundings): string | undefined {
	const named = setting.trim();
	if (named !== "") {
		const home = named.startsWith("~/") ? join(around.home, named.slice(2)) : named;
		const path = isAbsolute(home) || folder === undefined ? home : resolve(folder, home);
		return existing(path, around);
	}
	const folders = around.path.split(delimiter).filter((one) => one !== "");
	const managed = [".rokit/bin", ".aftman/bin", ".cargo/bin"].map((one) => join(around.home, one));
	for (const one of [...folders, ...managed]) {
		const found = existing(join(one, "blinkblox"), around);
		if (found !== undefined) {
			return found;
		}
	}
	return undefined;
}

function existing(path: string, around: Surroundings): string | undefined {
	if (around.platform === "win32" && !path.toLowerCase().endsWith(".exe") && existsSync(`${path}.exe`)) {
		return `${path}.exe`;
	}
	return existsSync(path) ? path : undefined;
}

/** What is wrong with a program, in words for a person; `undefined` when it is the command and answers. */
export function fault(program: string): Promise<string | undefined> {
	return new Promise((done) => {
		execFile(program, ["--version"], { timeout: 10_000 }, (error, stdout) => {
			if (error !== null) {
				done(`BlinkBlox: ${program} cannot be run: ${error.message.trim()}`);
			} else if (!stdout.startsWith("BlinkBlox ")) {
				done(`BlinkBlox: ${program} is another program. Correct the setting \`blinkblox.path\`.`);
			} else {
				done(undefined);
			}
		});
	});
}
