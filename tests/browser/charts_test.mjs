// SPDX-License-Identifier: Apache-2.0
// The charts: an hour from the server, live at its end, zoom, pause; and the timeline of the plan.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, needs, openPage, startNode, text } from "./support/harness.mjs";

const node = await startNode();
const page = await openPage(node);
const readout = () => page.locator("#rates .readout").first().innerText();
const note = () => text(page, "#rates-note");

/** A number that changes when the drawing does. */
const drawing = () =>
  page.$eval("#rates canvas", (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let sum = 0;
    for (let place = 0; place < data.length; place += 4)
      sum = (sum * 31 + data[place] + data[place + 3]) >>> 0;
    return sum;
  });

/** How much of the width has a line: what comes from the server fills it at once. */
const filled = () =>
  page.$eval("#rates canvas", (canvas) => {
    const { data, width, height } = canvas
      .getContext("2d")
      .getImageData(0, 0, canvas.width, canvas.height);
    const total = getComputedStyle(document.documentElement)
      .getPropertyValue("--line-total")
      .trim();
    const want = [1, 3, 5].map((at) => parseInt(total.slice(at, at + 2), 16));
    let columns = 0;
    for (let x = 0; x < width; x += 1) {
      for (let y = 0; y < height; y += 1) {
        const at = 4 * (y * width + x);
        if (
          want.every((value, part) => Math.abs(data[at + part] - value) < 40) &&
          data[at + 3] > 120
        ) {
          columns += 1;
          break;
        }
      }
    }
    return columns / width;
  });

test("an hour comes from the server", needs.mock, async () => {
  await page.click('[data-range="3600"]');
  assert.ok(node.requests.includes("GET /api/v1/history?seconds=3600"), node.requests.join());
  await eventually(page, "the hour is drawn", async () => [(await filled()) > 0.7, await filled()]);
});

test("the charts go on live", async () => {
  await page.click('[data-range="60"]');
  const before = await drawing();
  await eventually(page, "another drawing", async () => [(await drawing()) !== before, before]);
  await eventually(page, "the newest value", async () => [
    /^now\s+total: [\d.]+/.test(await readout()),
    await readout(),
  ]);
});

test("pause holds the charts, and nothing else", async () => {
  // The lines are chosen once there are rates.
  await page.waitForSelector("#rates .chips input:checked");
  await page.click("#rates-pause");
  assert.equal(await note(), "paused");
  const before = await drawing();
  const uptime = await text(page, "#node-uptime");
  await eventually(page, "time goes on", async () => [
    (await text(page, "#node-uptime")) !== uptime,
    uptime,
  ]);
  assert.equal(await drawing(), before);
  await page.click("#rates-pause");
  await eventually(page, "on again", async () => [(await drawing()) !== before, before]);
});

test("drag zooms; a double click and the button reset", async () => {
  const drag = async () => {
    const box = await page.locator("#rates .u-over").first().boundingBox();
    await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 50, { steps: 4 });
    await page.mouse.up();
    return box;
  };
  await page.locator("#rates").scrollIntoViewIfNeeded();
  const box = await drag();
  assert.match(await note(), /zoomed/);
  const before = await drawing();
  await page.mouse.move(5, 5);
  await page.mouse.dblclick(box.x + 60, box.y + 30);
  assert.equal(await note(), "");
  assert.notEqual(await drawing(), before);
  await drag();
  await page.click("#rates-reset");
  assert.equal(await note(), "");
  assert.equal(await page.locator("#rates-reset").isDisabled(), true);
});

test("lines are chosen by link, six at most", needs.mock, async () => {
  const boxes = page.locator("#rates .chips input");
  assert.equal(await boxes.count(), 12);
  for (let place = 0; place < 12; place += 1) await boxes.nth(place).check();
  assert.equal(await page.locator("#rates .chips input:checked").count(), 6);
  assert.match(await readout(), /total: .* 12: /);
});

test("the page's own pause holds everything", async () => {
  await page.click("#pause");
  assert.equal(await text(page, "#connection"), "paused");
  const shown = await page.locator("#figures").innerText();
  const before = await drawing();
  await page.evaluate(() => new Promise((done) => setTimeout(done, 600)));
  assert.equal(await page.locator("#figures").innerText(), shown);
  assert.equal(await drawing(), before);
  await page.click("#pause");
  assert.equal(await text(page, "#connection"), "live");
});

test("the timeline has planned and actual periods, and now", needs.mock, async () => {
  const count = (kind) => page.locator(`#plan ${kind}`).count();
  await eventually(page, "bars", async () => [
    (await count("rect.planned")) > 0,
    await count("rect.planned"),
  ]);
  assert.ok((await count("rect.actual")) > 0);
  assert.ok((await count("rect.missed")) > 0);
  assert.equal(await count("line.now"), 1);
  const titles = await page.$$eval("#plan rect.actual title", (all) =>
    all.map((one) => one.textContent),
  );
  assert.match(titles[0], /^up from \d\d:\d\d:\d\d to/);
  await page.click('[data-span="168"]');
  const inWeek = await count("rect");
  await page.click('[data-span="1"]');
  assert.ok(inWeek > (await count("rect")));
  for (let step = 0; step < 3; step += 1) await page.click('#plan [aria-label="Later"]');
  assert.equal(await count("line.now"), 0);
  await page.click("#plan >> text=Now");
  assert.equal(await count("line.now"), 1);
});

test("the plan is there as a table, too", needs.mock, async () => {
  await page.click("text=Contacts as a table");
  await page.waitForSelector("#plan tbody tr[data-key]");
  assert.equal(await page.locator("#plan tbody tr[data-key]").count(), 100);
});

test("nothing failed in the page", () => assert.deepEqual(page.faults, []));
