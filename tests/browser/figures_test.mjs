// SPDX-License-Identifier: Apache-2.0
// What the page shows is what the node says.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  apiGet,
  bits,
  cell,
  eventually,
  needs,
  number,
  openPage,
  startNode,
  text,
} from "./support/harness.mjs";

const node = await startNode();
const page = await openPage(node);

test("the node is named, with version, uptime and readiness", async () => {
  const { node: told } = await apiGet(node, "state");
  await eventually(page, "the node's id", async () => [
    (await text(page, "#node-id")) === told.id,
    await text(page, "#node-id"),
  ]);
  assert.equal(await text(page, "#node-version"), `version ${told.version}`);
  assert.match(await text(page, "#node-uptime"), /^up (\d+ d )?\d\d:\d\d:\d\d$/);
  assert.equal(await text(page, "#readiness"), told.ready ? "ready" : "not ready");
});

test("totals of every link lie between the API's before and after", async () => {
  for (const end of ["in", "out"]) {
    const before = await apiGet(node, "state");
    await eventually(page, `bundles ${end}`, async () => {
      const shown = await page.$$eval(`#links [data-cell="${end}Bundles"]`, (cells) =>
        cells.map((one) => [one.closest("tr").dataset.key, one.textContent]),
      );
      const after = await apiGet(node, "state");
      const wrong = shown.filter(([key, value]) => {
        const link = before.links[key];
        if (!link || (link.direction !== end && link.direction !== "both") || value === "–")
          return false;
        return (
          number(value) < link[`${end}Bundles`] || number(value) > after.links[key][`${end}Bundles`]
        );
      });
      return [shown.length === Object.keys(before.links).length && wrong.length === 0, wrong];
    });
  }
});

test("data rates are those of the totals", async () => {
  // The page and this test look at slightly different seconds; traffic is steady to some per cent.
  await eventually(
    page,
    "the rate in is that of the totals",
    async () => {
      const first = await apiGet(node, "state");
      await new Promise((done) => setTimeout(done, 1_000));
      const shown = bits(await text(page, '[data-figure="in"]'));
      const second = await apiGet(node, "state");
      const seconds = (Date.parse(second.node.time) - Date.parse(first.node.time)) / 1_000;
      const real = (8 * (second.flow.receivedBytes - first.flow.receivedBytes)) / seconds;
      return [Math.abs(shown - real) <= 0.15 * Math.max(real, 1e4), { shown, real }];
    },
    20_000,
  );
});

test("states of links stand in words and signs, in the table and in the picture", async () => {
  const { links } = await apiGet(node, "state");
  for (const [key, link] of Object.entries(links)) {
    const word = await text(page, cell(page, key, "state"));
    if (link.up) assert.match(word, /^● up/);
    else assert.doesNotMatch(word, /● up/);
    if (link.reason && link.planned && !link.connected) assert.ok(word.includes(link.reason), word);
  }
  const pictured = await page.$$eval("[data-flow-link]", (all) => all.length);
  assert.ok(pictured > 0);
});

test("storage, pending bundles, routes and events are there", async () => {
  const state = await apiGet(node, "state");
  assert.equal(
    await page.locator("[data-disk]").count(),
    Object.keys(state.storage.disks ?? {}).length,
  );
  const { routes = [] } = await apiGet(node, "routes");
  await eventually(page, "routes", async () => {
    const rows = await page.locator('#routes tbody tr [data-cell="rule"]').allInnerTexts();
    return [
      rows.filter((one) => one === "plan").length === Math.min(200, routes.length),
      rows.length,
    ];
  });
  const { events } = await apiGet(node, "events?limit=200");
  await eventually(page, "events", async () => {
    const rows = await page.locator("#events tbody tr[data-key]").count();
    return [rows >= Math.min(events.length, 200), rows];
  });
});

test("events are filtered by level", needs.mock, async () => {
  await page.selectOption("#event-level", "error");
  const levels = await page.locator('#events [data-cell="level"]').allInnerTexts();
  assert.deepEqual([...new Set(levels)], ["■ error"]);
  await page.selectOption("#event-level", "info");
});

test("frozen figures are shown to the last digit", needs.mock, async () => {
  node.world.frozen = true;
  node.world.apply({
    flow: { expiredBundles: 17, deletedBundles: 4 },
    storage: { bundles: 123_456, bytes: 7_890_000 },
  });
  await eventually(page, "stored", async () => {
    const shown = [
      await text(page, '[data-figure="stored"]'),
      await text(page, '[data-note="stored"]'),
      await text(page, '[data-figure="deleted"]'),
    ];
    return [shown.join("|").replaceAll("\u202f", " ") === "123 456|7.89 MB|21", shown];
  });
  for (const [key, link] of Object.entries(node.world.state.links)) {
    for (const end of ["in", "out"]) {
      if (link.direction !== end && link.direction !== "both") continue;
      await eventually(page, `bundles of link ${key}`, async () => {
        const shown = number(await text(page, cell(page, key, `${end}Bundles`)));
        return [shown === link[`${end}Bundles`], [shown, link[`${end}Bundles`]]];
      });
    }
  }
  node.world.frozen = false;
});

test("what comes from outside is text, never HTML", needs.mock, async () => {
  const bad = '<img src=x onerror="document.title=1"><b>x</b>';
  node.world.apply({
    links: { 10: { name: bad, reason: bad, address: bad } },
    pending: { [bad]: { bundles: 1, bytes: 1 } },
  });
  node.world.note("error", bad, bad, bad, 10);
  await eventually(page, "the link's name", async () => {
    const shown = await text(page, cell(page, "10", "link"));
    return [shown.includes(bad), shown];
  });
  await eventually(page, "the event", async () => {
    const shown = await text(page, "#events tbody tr [data-cell=text]");
    return [shown === bad, shown];
  });
  assert.equal(await page.locator("img, main b").count(), 0);
  assert.match(await page.title(), /farlink/);
});

test("a link that is removed goes, and one that is added comes", needs.mock, async () => {
  const link = { ...node.world.state.links[2], number: 77, name: "new one" };
  node.world.apply({ links: { 2: null, 77: link } });
  await eventually(page, "rows", async () => {
    const keys = await page.$$eval("#links tbody tr", (rows) => rows.map((row) => row.dataset.key));
    return [keys.includes("77") && !keys.includes("2"), keys];
  });
});

test("nothing failed in the page, and nothing came from elsewhere", () => {
  assert.deepEqual(page.faults, []);
  assert.deepEqual(page.foreign, []);
});
