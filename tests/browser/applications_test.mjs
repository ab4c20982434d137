// SPDX-License-Identifier: Apache-2.0
// The endpoints of applications: who receives there, and what waits.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, eventually, needs, number, openPage, startNode, text } from "./support/harness.mjs";

const node = needs.mock.skip ? undefined : await startNode();
const page = node ? await openPage(node) : undefined;
const cell = (endpoint, name) => `#applications tr[data-key="${endpoint}"] [data-cell="${name}"]`;
const cells = (name) => page.locator(`#applications tbody [data-cell="${name}"]`).allInnerTexts();
const plain = (shown) => shown.replaceAll("\u202f", " ");

test("endpoints are there in order, and say who receives", needs.mock, async () => {
  await page.waitForSelector("#applications tbody tr[data-key]");
  assert.deepEqual(await cells("endpoint"), ["ipn:10.42", "ipn:10.43", "ipn:10.5002"]);
  assert.deepEqual(await cells("state"), [
    "● receiving",
    "▲ no receiver: bundles wait",
    "○ no receiver",
  ]);
  assert.deepEqual(await cells("kind"), ["configured", "configured", "dynamic"]);
  assert.deepEqual(await cells("receivers"), ["1", "0", "0"]);
  assert.deepEqual(await cells("connections"), ["1", "0", "1"]);
  assert.equal(await text(page, "#applications .summary"), "1 receiving, 2 no receiver");
});

test("each column has its head, also for who may only read", needs.mock, async () => {
  for (const panel of ["#applications", "#links", "#forecast"]) {
    await page.waitForSelector(`${panel} tbody tr[data-key]`);
    const [heads, shown] = await page.$eval(`${panel} table`, (table) =>
      [table.tHead.rows[0], table.tBodies[0].rows[0]].map(
        (row) => [...row.cells].filter((one) => one.offsetWidth > 0).length,
      ),
    );
    assert.equal(heads, shown, panel);
  }
});

test("what waits is what the node reports, to the last digit", needs.mock, async () => {
  const shown = (await Promise.all(["stored", "waiting", "leased"].map(cells))).map((one) =>
    one.map(plain),
  );
  assert.deepEqual(shown, [
    ["0", "1 205 · 1.51 MB", "0"],
    ["3 · 3.75 kB", "0", "0"],
    ["1", "0", "0"],
  ]);
  node.world.frozen = true;
  for (const [endpoint, what] of [
    ["ipn:10.42", "delivered"],
    ["ipn:10.5002", "sent"],
  ]) {
    await eventually(page, what, async () => {
      const seen = number((await text(page, cell(endpoint, what))).split(" · ")[0]);
      const real = node.world.state.endpoints[endpoint][`${what}Bundles`];
      return [seen === real, [seen, real]];
    });
  }
  node.world.frozen = false;
});

test("a receiver that comes is shown, and one that goes", needs.mock, async () => {
  const state = () => text(page, cell("ipn:10.43", "state"));
  const change = (receivers) =>
    node.world.apply({ endpoints: { "ipn:10.43": { receivers, connections: receivers } } });
  change(2);
  await eventually(page, "receiving", async () => [
    (await state()) === "● receiving",
    await state(),
  ]);
  assert.equal(await text(page, cell("ipn:10.43", "connections")), "2");
  change(0);
  await eventually(page, "no receiver", async () => [
    (await state()).startsWith("▲ no receiver"),
    await state(),
  ]);
});

test("a dynamic endpoint comes, and goes with its connections", needs.mock, async () => {
  const one = { ...node.world.state.endpoints["ipn:10.5002"], endpoint: "ipn:10.900" };
  node.world.apply({ endpoints: { "ipn:10.900": one } });
  await page.waitForSelector('#applications tr[data-key="ipn:10.900"]');
  assert.deepEqual((await cells("endpoint")).slice(-2), ["ipn:10.900", "ipn:10.5002"]);
  node.world.apply({ endpoints: { "ipn:10.900": null } });
  await page.waitForSelector('#applications tr[data-key="ipn:10.900"]', { state: "detached" });
});

test("what waits for an endpoint is listed, and is in no forecast", needs.mock, async () => {
  const row = '#storage tr[data-key="ipn:10.43"] [data-cell="destination"] button';
  assert.equal(await page.getAttribute(row, "title"), "Show the bundles for ipn:10.43");
  await page.click(row);
  assert.equal(await page.inputValue("#bundles-destination"), "ipn:10.43");
  assert.equal(await page.locator('#forecast tr[data-key="none"]').count(), 0);
});

test("the module that is lost is named, and no endpoint is claimed", needs.mock, async () => {
  const { endpoints } = node.world.state;
  const none = Object.fromEntries(Object.keys(endpoints).map((name) => [name, null]));
  const before = structuredClone(endpoints);
  node.world.apply({ modules: { applications: { state: "lost" } }, endpoints: none });
  await page.waitForSelector("#applications .old:visible");
  assert.match(await text(page, "#applications .old:visible"), /^▲ .* is lost: no application/);
  assert.equal(await page.locator("#applications tr[data-key]").count(), 0);
  node.world.apply({ modules: { applications: { state: "ready" } }, endpoints: before });
  await page.waitForSelector("#applications tbody tr[data-key]");
  assert.equal(await page.locator("#applications .old:visible").count(), 0);
});

test("a module without endpoints has a panel, a node without it has none", needs.mock, async () => {
  for (const [endpoints, visible] of [
    [0, true],
    [null, false],
  ]) {
    const other = await openPage(await startNode({ endpoints }));
    await other.waitForSelector("#links tbody tr[data-key]");
    await eventually(other, "the panel", async () => {
      const shown = [
        await other.locator("#applications").isVisible(),
        await other.locator("#applications-entry").isVisible(),
      ];
      return [shown.every((one) => one === visible), shown];
    });
    if (visible) assert.equal(await text(other, "#applications tbody"), "No endpoints.");
    await other.context().close();
  }
});

test("a hundred endpoints are searched and sorted", needs.mock, async () => {
  const other = await openPage(await startNode({ endpoints: 100 }));
  await other.waitForSelector("#applications tbody tr[data-key]");
  assert.equal(await other.locator("#applications table").getAttribute("aria-rowcount"), "101");
  await other.locator('#applications [data-head="state"] button').click();
  await eventually(other, "those without a receiver first", async () => {
    const first = await text(other, '#applications tr[data-key] [data-cell="state"]');
    return [first.startsWith("▲"), first];
  });
  await other.locator("#applications input.search").fill("dynamic ipn:10.5002");
  await eventually(other, "one endpoint", async () => {
    const tally = await text(other, "#applications .tally");
    return [tally === "1 of 100 rows", tally];
  });
  await other.context().close();
});

for (const theme of ["light", "dark"])
  for (const width of [1440, 360])
    test(`a hundred endpoints are for everybody: ${theme}, ${width} px`, needs.mock, async () => {
      const other = await openPage(await startNode({ endpoints: 100 }), { theme, width });
      await other.waitForSelector("#applications tbody tr[data-key]");
      assert.deepEqual(await axe(other), []);
      const wide = await other.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} px`);
      await other.context().close();
    });

test("nothing failed in the page", needs.mock, () => assert.deepEqual(page.faults, []));
