/** The language server as a process, asked in turn. */

import { spawn } from "node:child_process";

export class Server {
	#process;
	#waiting = new Map();
	#asked = 0;
	#unread = Buffer.alloc(0);

	constructor(program) {
		this.#process = spawn(program, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
		this.#process.stdout.on("data", (data) => this.#read(data));
		this.#process.on("exit", (code) => {
			for (const { refuse } of this.#waiting.values()) {
				refuse(new Error(`the server ended with ${code}`));
			}
		});
	}

	async start() {
		const answer = await this.ask("initialize", { capabilities: {}, processId: null, rootUri: null });
		this.tell("initialized", {});
		return answer;
	}

	async stop() {
		await this.ask("shutdown", null);
		this.tell("exit", null);
	}

	tell(method, params) {
		const text = JSON.stringify({ jsonrpc: "2.0", method, params });
		this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
	}

	ask(method, params) {
		const id = ++this.#asked;
		const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
		this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
		return new Promise((done, refuse) => this.#waiting.set(id, { done, refuse }));
	}

	#read(data) {
		this.#unread = Buffer.concat([this.#unread, data]);
		for (;;) {
			const end = this.#unread.indexOf("\r\n\r\n");
			const length = end < 0 ? null : /Content-Length: (\d+)/i.exec(this.#unread.subarray(0, end).toString());
			if (length === null || this.#unread.length < end + 4 + Number(length[1])) {
				return;
			}
			const rest = end + 4 + Number(length[1]);
			const message = JSON.parse(this.#unread.subarray(end + 4, rest).toString());
			this.#unread = this.#unread.subarray(rest);
			const waiting = this.#waiting.get(message.id);
			if (waiting !== undefined && message.method === undefined) {
				this.#waiting.delete(message.id);
				if (message.error === undefined) {
					waiting.done(message.result);
				} else {
					waiting.refuse(new Error(message.error.message));
				}
			}
		}
	}
}
