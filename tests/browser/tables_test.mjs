// SPDX-License-Identifier: Apache-2.0
// Tables: searched and sorted from ten rows on, of bounded height, with only what is in sight in
// the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, cell, eventually, needs, openPage, startNode, text } from "./support/harness.mjs";

const MOST_PHONE_PX = 9_000;
const node = needs.mock.skip ? undefined : await startNode({ links: 100, turns: 10 });
const keys = (page) =>
  page.$$eval("#links tbody tr[data-key]", (rows) => rows.map((row) => row.dataset.key));
const search = (page) => page.locator("#links input.search");

test("few rows have neither search nor order, many have", needs.mock, async () => {
  const few = await startNode({ links: 3 });
  const small = await openPage(few);
  await small.waitForSelector("#links tbody tr[data-key]");
  assert.equal(await small.locator("#links input.search").isVisible(), false);
  assert.equal(await small.locator('#links [data-head="link"] button').isDisabled(), true);
  await small.context().close();
});

test("a table is searched by every word", needs.mock, async () => {
  const page = await openPage(node);
  await page.waitForSelector("#links tbody tr[data-key]");
  await search(page).fill("not connected");
  await eventually(page, "those in trouble", async () => {
    const states = await page.locator('#links [data-cell="state"]').allInnerTexts();
    return [states.length > 0 && states.every((one) => one.includes("not connected")), states];
  });
  await search(page).fill("node 1010");
  await eventually(page, "one link", async () => {
    const found = await keys(page);
    return [found.join() === "100", found];
  });
  assert.match(await text(page, "#links .tally"), /^1 of 100 rows$/);
  await search(page).fill("mars");
  await page.waitForSelector("#links >> text=No row matches the search.");
  await search(page).press("Escape");
  await eventually(page, "all again", async () => [
    (await text(page, "#links .tally")) === "100 rows",
    await text(page, "#links .tally"),
  ]);
  await page.context().close();
});

test("a table is sorted by its heads, and says how", needs.mock, async () => {
  const page = await openPage(node);
  await page.waitForSelector("#links tbody tr[data-key]");
  const head = page.locator('#links [data-head="outBundles"]');
  await head.locator("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  const figures = async () =>
    (await page.locator('#links [data-cell="outBundles"]').allInnerTexts())
      .filter((one) => one !== "–")
      .map((one) => Number(one.replace(/\D/g, "")));
  await eventually(page, "descending", async () => {
    const shown = (await figures()).slice(0, 12);
    return [shown.length > 5 && shown.every((one, at) => !at || one <= shown[at - 1]), shown];
  });
  await head.locator("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  await page.locator('#links [data-head="state"] button').click();
  const first = await text(page, '#links tbody tr[data-key] [data-cell="state"]');
  assert.match(first, /^▲ not/);
  await page.context().close();
});

test(
  "of a hundred rows those in sight are in the page, and all are reached",
  needs.mock,
  async () => {
    const page = await openPage(node);
    await page.waitForSelector("#links tbody tr[data-key]");
    await eventually(page, "few rows", async () => {
      const many = (await keys(page)).length;
      return [many > 10 && many < 60, many];
    });
    assert.equal(await page.locator("#links table").getAttribute("aria-rowcount"), "101");
    await page.$eval("#links .scroll", (box) => (box.scrollTop = box.scrollHeight));
    await page.waitForSelector(cell(page, "100", "link"));
    const last = page.locator('#links tr[data-key="100"]');
    assert.equal(await last.getAttribute("aria-rowindex"), "101");
    const [row, box] = [
      await last.boundingBox(),
      await page.locator("#links .scroll").boundingBox(),
    ];
    assert.ok(row.y + row.height <= box.y + box.height + 2, "the last row is in sight");
    assert.deepEqual(page.faults, []);
    await page.context().close();
  },
);

test("a hundred links on a telephone are no endless page", needs.mock, async () => {
  const page = await openPage(node, { width: 360, height: 780, theme: "light" });
  await page.waitForSelector("#links tbody tr[data-key]");
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  console.log(`browser: 100 links at 360 px are ${height} px high`);
  assert.ok(height < MOST_PHONE_PX, `${height} px`);
  // The order is chosen from a list, since cards have no heads.
  await page.locator("#links .sort-choice select").selectOption("outBundles down");
  await page.$eval("#links .scroll", (box) => (box.scrollTop = box.scrollHeight));
  await eventually(page, "the last rows", async () => {
    const rows = await page
      .locator("#links tbody tr[data-key]")
      .last()
      .getAttribute("aria-rowindex");
    return [rows === "101", rows];
  });
  assert.deepEqual(await axe(page), []);
  await page.context().close();
});
