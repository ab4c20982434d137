// SPDX-License-Identifier: Apache-2.0
// The charts: an hour from the server, longer times from its disk, live at the end, zoom, pause;
// and the timeline of the plan.
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
  assert.ok(
    node.requests.some((one) => one.startsWith("GET /api/v1/history?seconds=3600&series=in,out")),
    node.requests.join(),
  );
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

test("the total is seen where one link carries all of it", needs.mock, async () => {
  // Of both lines there are pixels of their colours at the newest value.
  const alone = await startNode({ links: 1 });
  const single = await openPage(alone);
  await single.waitForSelector("#rates .chips input:checked");
  await single.waitForFunction(() => /bit\/s/.test(document.querySelector(".readout").innerText));
  // A line is drawn from its second value on.
  await single.waitForFunction(() => {
    const canvas = document.querySelector("#rates canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const style = getComputedStyle(document.documentElement);
    return ["--line-total", "--line-0"].every((name) => {
      const hex = style.getPropertyValue(name).trim();
      const want = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
      let many = 0;
      for (let at = 0; at < data.length; at += 4)
        if (want.every((value, part) => Math.abs(data[at + part] - value) < 40)) many += 1;
      return many > 20;
    });
  });
  await single.context().close();
});

test("both charts have one scale, one height, and whole time labels", async () => {
  const sizes = await page.$$eval("#rates .plot", (all) =>
    all.map((one) => {
      const canvas = one.querySelector("canvas").getBoundingClientRect();
      return [one.clientHeight, canvas.height, canvas.right <= one.getBoundingClientRect().right];
    }),
  );
  assert.ok(
    sizes.every(([box, canvas, inside]) => box === canvas && inside),
    sizes.join(),
  );
  assert.equal(sizes[0][0], sizes[1][0]);
  // The last label is as wide as the others: its text ends before the canvas does.
  const free = await page.$eval("#rates canvas", (canvas) => {
    const ratio = canvas.width / canvas.clientWidth;
    const top = Math.round(canvas.height - 22 * ratio);
    const { data, width } = canvas
      .getContext("2d")
      .getImageData(0, top, canvas.width, canvas.height - top);
    for (let column = width - 1; column > 0; column -= 1)
      for (let at = 4 * column; at < data.length; at += 4 * width)
        if (data[at + 3] > 60) return (width - 1 - column) / ratio;
    return -1;
  });
  assert.ok(free >= 2, `${free} px are free behind the last label`);
});

test("longer times come from the node's disk, with gaps where it was off", needs.mock, async () => {
  await page.waitForSelector('#rates [data-range="604800"]:visible');
  for (const [range, step] of [
    [21_600, 60],
    [604_800, 1_800],
  ]) {
    node.requests.length = 0;
    await page.click(`#rates [data-range="${range}"]`);
    await eventually(page, "the request", async () => [
      node.requests.some((one) => one.includes(`step=${step}&`) && one.includes("from=2")),
      node.requests,
    ]);
    await eventually(page, "the time is drawn", async () => [
      (await filled()) > 0.6,
      await filled(),
    ]);
  }
  await page.click('#rates [data-range="60"]');
});

test("a node without a history on disk offers an hour", needs.mock, async () => {
  const old = await startNode();
  old.world.withoutDisk = true;
  const page = await openPage(old);
  await page.waitForFunction(() => document.querySelectorAll("#rates .chips input").length > 0);
  await eventually(page, "asked", async () => [
    old.requests.some((one) => one.includes("from=")),
    old.requests,
  ]);
  assert.equal(await page.locator('#rates [data-range="604800"]:visible').count(), 0);
  await page.context().close();
});

test("there is one pause, and it holds everything", async () => {
  assert.equal(await page.getByRole("button", { name: /pause/i }).count(), 1);
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
  const rows = Number(await page.locator("#plan table").getAttribute("aria-rowcount"));
  const coming = node.world.contacts.filter((one) => Date.parse(one.endTime) > Date.now());
  assert.ok(Math.abs(rows - 1 - coming.length) <= 2, `${rows} rows for ${coming.length} contacts`);
  assert.ok((await page.locator("#plan tbody tr[data-key]").count()) < 100);
});

test("nothing failed in the page", () => assert.deepEqual(page.faults, []));
