// SPDX-License-Identifier: Apache-2.0
// What needs a person: alarms as a strip, in the title and in words; what the page must not claim.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { axe, eventually, needs, number, openPage, startNode, text } from "./support/harness.mjs";

const node = needs.mock.skip ? undefined : await startNode();
const page = node ? await openPage(node) : undefined;
const PLAN = {
  name: "plan-ended",
  severity: "critical",
  text: "the contact plan ended at 2026-11-22T15:00:00Z; 4,120 bundles wait",
  action: "load a plan: farlinkctl plan replace FILE",
};
const LINK = {
  name: "link-misses-contact",
  severity: "warning",
  link: 3,
  neighbour: 40,
  text: "link 3 to node 40 is not connected 90 s into its contact",
  action: "check the peer: farlinkctl links",
};
/** Every name that the API has. */
const ALARMS = readFileSync(new URL("../../docs/api/openapi.yaml", import.meta.url), "utf8")
  .match(/enum:\n((?:\s+- [a-z-]+\n)*\s+- disk-full-soon\n(?:\s+- [a-z-]+\n)*)/)[1]
  .match(/[a-z][a-z-]+/g);
const SUBJECTS = {
  "disk-full-soon": { disk: 0 },
  "module-silent": { module: "egress" },
  "neighbour-refuses": { link: 3, neighbour: 40 },
  "no-acknowledgements": { link: 1, neighbour: 20 },
  "link-misses-contact": { link: 3, neighbour: 40 },
  "certificate-ended": { link: 4 },
  "peers-not-checked": { link: 0 },
  "backlog-without-contact": { neighbour: 40 },
};
const lines = () => page.locator("#attention li").allInnerTexts();

test("without alarms there is no strip", needs.mock, async () => {
  await page.waitForSelector("#links tbody tr[data-key]");
  assert.equal(await page.locator("#attention").isVisible(), false);
  await page.waitForFunction(() => /^ipn:10\.0/.test(document.title));
});

test("alarms stand at the top, the worst first, with what to do", needs.mock, async () => {
  node.world.raise(LINK);
  const id = node.world.raise(PLAN);
  await page.waitForSelector(`#attention li[data-alarm="${id}"]`);
  const [first, second] = await lines();
  assert.match(first, /■ critical/);
  assert.ok(first.includes(PLAN.text) && first.includes(PLAN.action), first);
  assert.match(first, /for \d+ s, since \d\d:\d\d:\d\d/);
  assert.match(second, /▲ warning/);
  assert.match(await text(page, "#attention-title"), /2 alarms, 1 critical/);
  await eventually(page, "the title", async () => [
    (await page.title()).startsWith("(2) "),
    await page.title(),
  ]);
  await eventually(page, "told", async () => {
    const told = await page.locator("#announcements").textContent();
    return [told.includes(`Alarm: ${PLAN.text}`), told];
  });
  const top = await page.locator("#attention").boundingBox();
  assert.ok(top.y < 200, `the strip stands at ${top.y}`);
});

test("nothing is wrong with the strip, in both themes", needs.mock, async () => {
  for (const theme of ["light", "dark"]) {
    await page.selectOption("#theme", theme);
    assert.deepEqual(await axe(page), [], theme);
  }
});

test("an alarm leads to what it is about", needs.mock, async () => {
  await page.click('#attention a[href="#link=3"]');
  await page.waitForSelector("#link-page:visible");
  assert.match(await text(page, "#link-title"), /Link 3/);
  assert.equal((await lines()).length, 2);
  await page.click('#attention a[href="#plan"]');
  await page.waitForSelector("#plan:visible");
});

test("many alarms are shown when somebody asks", needs.mock, async () => {
  const ids = [4, 5, 6, 7].map((link) => node.world.raise({ ...LINK, link }));
  await page.waitForSelector("#attention >> text=Show 2 more");
  assert.equal((await lines()).length, 4);
  await page.click("#attention >> text=Show 2 more");
  assert.equal((await lines()).length, 6);
  await page.click("#attention >> text=Show fewer");
  for (const id of ids) node.world.endAlarm(id);
});

test("an alarm that ends goes, and is found among those that ended", needs.mock, async () => {
  for (const id of Object.keys(node.world.state.alarms)) node.world.endAlarm(id);
  await page.waitForSelector("#attention", { state: "hidden" });
  await page.click("#ended-alarms summary");
  await page.waitForSelector("#ended-alarms tbody tr[data-key]");
  const shown = await page.locator("#ended-alarms tbody").innerText();
  assert.ok(shown.includes(PLAN.text), shown);
  await page.waitForSelector("#events >> text=/4,120 bundles wait/");
});

test("each kind of alarm is shown with its place, and goes when it ends", needs.mock, async () => {
  for (const name of ALARMS) {
    const id = node.world.raise({
      name,
      severity: "warning",
      text: `the text of ${name}`,
      action: `what to do about ${name}`,
      ...SUBJECTS[name],
    });
    const line = page.locator(`#attention li[data-alarm="${id}"]`);
    await line.waitFor();
    const shown = await line.innerText();
    assert.ok(shown.includes(`the text of ${name}`), shown);
    assert.ok(shown.includes(`what to do about ${name}`), shown);
    node.world.endAlarm(id);
    await line.waitFor({ state: "detached" });
  }
});

test("all times are UTC: the clock says so, and local time is on hover", needs.mock, async () => {
  const shown = await text(page, "#utc-clock");
  assert.match(shown, /^\d\d:\d\d:\d\d UTC$/);
  const now = new Date(node.world.nowMs).toISOString().slice(11, 16);
  assert.ok(shown.startsWith(now.slice(0, 2)) || /:59|:00/.test(now), `${shown} at ${now}`);
  const elsewhere = await openPage(node, { timezoneId: "Asia/Tokyo", locale: "en-GB" });
  assert.match(await text(elsewhere, "#utc-clock"), /UTC$/);
  assert.match(await elsewhere.locator("#utc-clock").getAttribute("title"), /local: .*GMT\+9|JST/);
  await elsewhere.waitForSelector("#events tbody tr[data-key]");
  const time = elsewhere.locator('#events tbody tr [data-cell="time"]').first();
  assert.match(await time.getAttribute("title"), /UTC; local: .*(GMT\+9|JST)/);
  const first = Date.parse(node.world.events.at(-1).time);
  assert.equal(await time.innerText(), new Date(first).toISOString().slice(11, 19));
  await elsewhere.context().close();
});

test("a share is never above all of it", needs.mock, async () => {
  const seen = [];
  for (let turn = 0; turn < 20; turn += 1) {
    const shown = await text(page, '[data-figure="cut-through"]');
    if (shown !== "–") seen.push(number(shown));
    await page.evaluate(() => new Promise((done) => setTimeout(done, 60)));
  }
  assert.ok(seen.length > 5 && seen.every((one) => one > 0 && one <= 100), seen.join());
});

test(
  "percentiles of bundles that passed long ago are not shown as of now",
  needs.mock,
  async () => {
    await eventually(page, "percentiles", async () => {
      const shown = await text(page, '[data-note="cut-through"]');
      return [/^p50 \d+/.test(shown), shown];
    });
    node.world.frozen = true;
    const { nowMs } = node.world;
    node.world.apply({ node: { time: new Date(nowMs + 70_000).toISOString() } });
    await eventually(page, "no bundles", async () => {
      const shown = await text(page, '[data-note="cut-through"]');
      return [shown === "no bundles in the last minute", shown];
    });
    node.world.frozen = false;
  },
);

test("a node without LTP has no panel of it, and one with it has", needs.mock, async () => {
  await page.waitForSelector("#ltp:visible");
  assert.equal(await page.locator("#ltp-entry").isVisible(), true);
  const without = await startNode({ ltp: false });
  const other = await openPage(without);
  await other.waitForSelector("#links tbody tr[data-key]");
  assert.equal(await other.locator("#ltp").isVisible(), false);
  assert.equal(await other.locator("#ltp-entry").isVisible(), false);
  await other.context().close();
});

test(
  "a contact that was open at the start and never connected is red from then",
  needs.mock,
  async () => {
    // No event tells of it: the node has been up for ten minutes, and its log is empty.
    const young = await startNode({ uptimeSeconds: 540 });
    const { world } = young;
    world.events.length = 0;
    world.apply({ links: { 10: { up: false, connected: false } } });
    const other = await openPage(young);
    const row = other.locator("#plan text", { hasText: "10 → 110" });
    await row.waitFor();
    const missed = await other.$$eval("#plan rect.missed title", (all) =>
      all.map((one) => one.textContent),
    );
    const began = new Date(world.nowMs - 600_000).toISOString().slice(11, 15);
    assert.ok(
      missed.some((one) => one.includes(`between ${began}`)),
      `${missed} at ${began}`,
    );
    await other.context().close();
  },
);

test("nothing failed in the page", needs.mock, () => assert.deepEqual(page.faults, []));
