// Drives the page of a trace as somebody would who has never seen it: looks, filters, clicks a packet, reads its fields.
//
// Arguments: the browser, and a file that says which pages to open, what must be found in them, and where screenshots
// go. Ends with 1 and says what is wrong at the first thing that is.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [browser, planFile] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(planFile, "utf8"));
const profile = mkdtempSync(join(tmpdir(), "blinkblox-page-"));
const context = await chromium.launchPersistentContext(profile, {
	executablePath: browser,
	headless: true,
	viewport: { width: 1440, height: 900 },
	args: [
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
	],
});
const said = [];
const page = await context.newPage();
page.on("console", (message) => { if (["error", "warning"].includes(message.type())) said.push(message.text()); });
page.on("pageerror", (error) => said.push(error.stack));
page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) said.push(`asks the network for ${request.url()}`); });

const shot = (name) => page.screenshot({ path: join(plan.shots, `${name}.png`), fullPage: (page.viewportSize()?.width ?? 0) < 800 });
const text = (selector) => page.locator(selector).innerText();
// What was asked for is on the screen one frame later.
const settle = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function open(file, size = { width: 1440, height: 900 }) {
	await page.setViewportSize(size);
	await page.goto(pathToFileURL(file).href);
	await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
	await settle();
}

async function clickPacket(id) {
	// Near enough that its arc is apart from the others'.
	await page.evaluate((id) => {
		const { sent } = blinkblox.packet(id);
		blinkblox.show(sent - 0.1, sent + 0.5);
	}, id);
	const spot = await page.evaluate((id) => blinkblox.pointOf(id, 0.5), id);
	await page.mouse.click(spot.x, spot.y);
	await page.waitForSelector("#packet-title");
}

async function look(name, { file, packets, event, packet, title, fields, note, hostile }) {
	await open(file);
	await shot(`${name}-light`);
	assert.equal(await text("#count"), `${packets.toLocaleString("en")} packets`);
	assert.ok((await text("#detail")).includes("How to read this"), "the page explains itself");

	// Filters.
	await page.fill("#find", event);
	await settle();
	const some = await page.evaluate(() => blinkblox.shown().length);
	assert.ok(some > 0 && some < packets, `finding ${event} leaves ${some} of ${packets}`);
	assert.equal(await text("#count"), `${some.toLocaleString("en")} of ${packets.toLocaleString("en")} packets`);
	await page.fill("#find", "");
	await page.selectOption("#way", "down");
	const down = await page.evaluate(() => blinkblox.shown().every((id) => blinkblox.packet(id).from === 0));
	assert.ok(down, "the direction is a filter");
	await page.click("#reset");
	await page.click(`#legend button[data-event="${event}"]`);
	await settle();
	const hidden = await page.evaluate(() => blinkblox.shown().length);
	assert.ok(hidden < packets, "an event can be hidden");
	await page.click(`#legend button[data-event="${event}"]`, { modifiers: ["Alt"] });
	await page.click("#reset");
	assert.equal(await page.evaluate(() => blinkblox.shown().length), packets);

	// A packet and its fields.
	await page.evaluate((event) => {
		document.getElementById("find").value = event;
		document.getElementById("find").dispatchEvent(new Event("input", { bubbles: true }));
	}, event);
	await clickPacket(packet);
	assert.equal((await text("#packet-title")).trim(), title);
	assert.ok((await text("#detail")).includes(`#${packet}`));
	for (const { path, role, value, from, to } of fields) {
		const row = page.locator(`#detail .fields tr[data-path="${path}"][data-role="${role}"]`).first();
		assert.equal(await row.locator(".value").innerText({ timeout: 5000 }), value, path);
		if (to > from) {
			await row.hover();
			assert.equal(await page.locator("#detail .byte.lit").count(), to - from, `bytes of ${path}`);
		}
	}
	await shot(`${name}-packet`);
	await page.click("#reset");

	// By keys alone.
	await page.locator("#timeline").focus();
	await page.keyboard.press("Escape");
	assert.ok((await text("#detail")).includes("How to read this"));
	await page.keyboard.press("0");
	await page.keyboard.press("j");
	const first = await text("#detail .tools .number");
	await page.keyboard.press("j");
	assert.notEqual(await text("#detail .tools .number"), first);
	await page.keyboard.press("k");
	assert.equal(await text("#detail .tools .number"), first);
	await page.keyboard.press("x");
	assert.ok(await page.evaluate(() => document.querySelector("#detail .bad, #detail .odd, #detail .fate") !== null));
	const before = await page.evaluate(() => blinkblox.view.to - blinkblox.view.from);
	await page.keyboard.press("+");
	assert.ok((await page.evaluate(() => blinkblox.view.to - blinkblox.view.from)) < before, "plus zooms in");
	await page.keyboard.press("/");
	assert.equal(await page.evaluate(() => document.activeElement.id), "find");

	// By mouse: dragging moves, the wheel zooms.
	await page.evaluate(() => blinkblox.show(1, 3));
	const box = await page.locator("#timeline").boundingBox();
	const from = await page.evaluate(() => blinkblox.view.from);
	await page.mouse.move(box.x + 500, box.y + 90);
	await page.mouse.down();
	await page.mouse.move(box.x + 400, box.y + 90, { steps: 4 });
	await page.mouse.up();
	assert.ok((await page.evaluate(() => blinkblox.view.from)) > from, "dragging to the left moves on");
	const span = await page.evaluate(() => blinkblox.view.to - blinkblox.view.from);
	await page.mouse.wheel(0, -240);
	await settle();
	assert.ok((await page.evaluate(() => blinkblox.view.to - blinkblox.view.from)) < span, "the wheel zooms");

	// What is no packet can be read too.
	if (note) {
		const spot = await page.evaluate((wanted) => {
			const found = blinkblox.trace.notes.find((one) => one.text === wanted);
			if (!found) return null;
			blinkblox.show(found.at - 0.2, found.at + 0.2);
			return blinkblox.pointOfNote(found.index);
		}, note);
		assert.ok(spot, `there is a note ${note}`);
		await page.mouse.click(spot.x, spot.y);
		assert.equal(await text("#detail .note"), note);
	}

	// What somebody hostile wrote is text.
	if (hostile) {
		await page.fill("#find", hostile.find);
		await settle();
		const found = await page.evaluate(() => blinkblox.shown());
		assert.ok(found.length > 0, `nothing holds ${hostile.find}`);
		for (const id of found) {
			await page.evaluate((id) => blinkblox.select(id), id);
			assert.ok((await text("#detail")).includes(hostile.text), `#${id} shows ${hostile.text}`);
		}
		await page.selectOption("#fate", "error");
		await settle();
		assert.ok((await page.evaluate(() => blinkblox.shown().length)) > 0, "a handler of one of them failed");
		await page.keyboard.press("Escape");
		await page.keyboard.press("j");
		assert.ok((await text("#detail .handler.bad")).includes("raw table"));
		await page.click("#reset");
	}

	// Dark, and narrow.
	await page.locator("#timeline").focus();
	await page.keyboard.press("0");
	await page.click("#theme");
	await settle();
	await shot(`${name}-dark`);
	await page.click("#theme");
	await page.setViewportSize({ width: 390, height: 844 });
	await page.evaluate((id) => { blinkblox.select(id); }, packet);
	await settle();
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
	assert.ok(wide <= 0, `on a narrow screen the page is ${wide} pixels too wide`);
	await shot(`${name}-narrow`);
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	assert.deepEqual(said, []);
}

// The page of a trace of a hundred thousand packets, made of a small one's.
async function large(file, count) {
	const html = readFileSync(file, "utf8");
	const [before, rest] = html.split('<script id="data" type="application/json">');
	const end = rest.indexOf("</script>");
	const data = JSON.parse(rest.slice(0, end));
	const rows = data.packets;
	data.packets = Array.from({ length: count }, (_, index) => {
		const shift = Math.floor(index / rows.length) * data.end;
		const later = (seconds) => (seconds === null ? null : Math.round((seconds + shift) * 1e6) / 1e6);
		const row = [...rows[index % rows.length]];
		row[0] = index + 1;
		row[1] = later(row[1]);
		row[7] = row[7].map((share) => [share[0], share[1], later(share[2]), later(share[3]), ...share.slice(4)]);
		return row;
	});
	data.end *= Math.ceil(count / rows.length);
	const big = join(profile, "large.html");
	writeFileSync(big, `${before}<script id="data" type="application/json">${JSON.stringify(data).replaceAll("<", "\\u003c")}${rest.slice(end)}`);
	await open(big);
	assert.equal(await text("#count"), `${count.toLocaleString("en")} packets`);
	const times = await page.evaluate(() => {
		const took = (run) => {
			const began = performance.now();
			run();
			return performance.now() - began;
		};
		return { all: took(() => blinkblox.draw()), second: took(() => blinkblox.show(100, 101)) };
	});
	console.log(`${count} packets: all drawn in ${times.all.toFixed(0)} ms, a second of them in ${times.second.toFixed(0)} ms`);
	// Far above what it takes alone: machines that test are busy.
	assert.ok(times.all < 3000 && times.second < 500, JSON.stringify(times));
	assert.deepEqual(said, []);
}

try {
	for (const [name, wanted] of Object.entries(plan.pages)) await look(name, wanted);
	await large(plan.pages[plan.large.page].file, plan.large.packets);
	console.log("the pages do what they should");
} catch (error) {
	await page.screenshot({ path: join(plan.shots, "failed.png") }).catch(() => {});
	console.error(error);
	if (said.length > 0) console.error(`the page said:\n${said.join("\n")}`);
	process.exitCode = 1;
} finally {
	await context.close();
	rmSync(profile, { recursive: true, force: true });
}
