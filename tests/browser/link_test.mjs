// SPDX-License-Identifier: Apache-2.0
// The page of one link.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  apiGet,
  axe,
  bits,
  eventually,
  needs,
  number,
  openPage,
  tokens,
  startNode,
  text,
} from "./support/harness.mjs";

const node = await startNode();
const page = await openPage(node, { token: tokens.operate });
const fact = (name) => page.locator(`[data-fact="${name}"]`);
const keyOf = async () => {
  const { links } = await apiGet(node, "state");
  return Object.keys(links).find((key) => links[key].up && links[key].direction !== "in");
};

test("a link of the table leads to its page, and back", async () => {
  const key = await keyOf();
  await page.click(`#links tr[data-key="${key}"] a`);
  await page.waitForSelector("#link-page:visible");
  assert.equal(await page.locator("#links").isVisible(), false);
  assert.match(await text(page, "#link-title"), new RegExp(`^Link ${key} → node \\d+$`));
  await eventually(page, "the title", async () => [
    (await page.title()).startsWith(`link ${key} · `),
    await page.title(),
  ]);
  assert.equal(
    await page.evaluate(() => document.activeElement.id),
    "link-title",
    "the focus is at the page's title",
  );
  await page.goBack();
  await page.waitForSelector("#links:visible");
  assert.equal(await page.locator("#link-page").isVisible(), false);
  await page.goForward();
  await page.waitForSelector("#link-page:visible");
});

test("its figures are those of the node", async () => {
  const key = await keyOf();
  await eventually(page, "rates", async () => {
    const shown = await fact("out").innerText();
    return [/bit\/s/.test(shown), shown];
  });
  const before = (await apiGet(node, "state")).links[key];
  await eventually(page, "bundles", async () => {
    const shown = await page.locator('[data-fact="out"] + dd').innerText();
    const after = (await apiGet(node, "state")).links[key];
    const many = number(shown.split(" bundles")[0]);
    return [many >= before.outBundles && many <= after.outBundles, shown];
  });
  assert.ok(bits(await fact("out").innerText()) >= 0);
  assert.match(await fact("peer").innerText(), new RegExp(`node ${before.neighbour}`));
  assert.equal(await fact("sessions").innerText(), String(before.sessionsOpen));
  assert.match(await page.locator('[data-fact="limit"] + dd').innerText(), /limit/);
  await eventually(page, "availability", async () => {
    const shown = await fact("availability").innerText();
    return [/^\d+(\.\d)?.%$/.test(shown), shown];
  });
});

test("its peers, contacts and events are there", async () => {
  const key = await keyOf();
  const { neighbour } = (await apiGet(node, "state")).links[key];
  const box = page.locator("#link-page");
  await box.locator('table[aria-label="Peers of this link"] tbody tr[data-key]').first().waitFor();
  const pairs = await box
    .locator('table[aria-label="Contacts of this link"] [data-cell="pair"]')
    .allInnerTexts();
  assert.ok(pairs.length > 0);
  assert.ok(
    pairs.every((one) => one.includes(String(neighbour))),
    pairs.join(),
  );
  const events = await box
    .locator('table[aria-label="Events of this link"] [data-cell="text"]')
    .allInnerTexts();
  assert.ok(
    events.every((one) => one.includes(`link ${key} `)),
    events.join(),
  );
});

test("its charts are drawn with the hour that the node has", async () => {
  assert.equal(await page.locator("#link-page .chart canvas").count(), 2);
  await page.click('#link-page [data-range="60"]');
  await eventually(page, "a value", async () => {
    const shown = await page.locator("#link-page .readout").last().innerText();
    return [/bit\/s/.test(shown), shown];
  });
});

test("it is for everybody, in both themes and narrow", async () => {
  for (const theme of ["light", "dark"]) {
    await page.selectOption("#theme", theme);
    assert.deepEqual(await axe(page), [], theme);
  }
  await page.setViewportSize({ width: 360, height: 780 });
  const [wide, inner] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    innerWidth,
  ]);
  assert.ok(wide <= inner, `${wide} px on a screen of ${inner}`);
  await page.setViewportSize({ width: 1440, height: 1000 });
});

test("it is taken down and let up from its page", needs.operate, async () => {
  const key = await keyOf();
  await page.evaluate((hash) => (location.hash = hash), `#link=${key}`);
  await page.click("#link-page >> text=Take down");
  await page.click("dialog button.danger");
  await page.waitForSelector("#link-page .state.held");
  await page.click("#link-page >> text=Let up");
  await page.click("dialog button.primary");
  await page.waitForSelector("#link-page .state.good");
});

test("a link that is not there is said not to be", async () => {
  await page.evaluate(() => (location.hash = "#link=4711"));
  await page.waitForSelector("#link-page >> text=This node has no such link.");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#links:visible");
});

test("nothing failed in the page", () => assert.deepEqual(page.faults, []));
