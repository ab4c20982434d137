// SPDX-License-Identifier: Apache-2.0
// The node goes away and comes back: the page says so, tries again, and goes on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, needs, openPage, startNode, text } from "./support/harness.mjs";

const node = await startNode();

test("a lost node is told of, and found again", needs.mock, async () => {
  const page = await openPage(node);
  node.refusing = true;
  node.dropClients();
  await page.waitForSelector('#connection[data-kind="waiting"]');
  // On a busy machine the page was without updates before.
  await eventually(page, "the next attempt", async () => {
    const shown = await text(page, "#banner");
    return [/Data is out of date by \d+ s: .*Next attempt in \d+ s/.test(shown), shown];
  });
  // What was ready is not said to be, and the tab says what is wrong.
  assert.match(await text(page, "#readiness"), /^was ready \d+ s ago$/);
  assert.equal(await page.locator("#readiness").getAttribute("data-kind"), "idle");
  assert.match(await page.title(), /no connection/);
  node.requests.length = 0;
  node.refusing = false;
  await page.waitForSelector('#connection[data-kind="live"]');
  await page.waitForSelector("#banner", { state: "hidden" });
  await eventually(page, "ready again", async () => [
    (await text(page, "#readiness")) === "ready" && !/no connection/.test(await page.title()),
    await page.title(),
  ]);
  await eventually(page, "what happened meanwhile is fetched", async () => [
    node.requests.some((one) => one.includes("/history")) &&
      node.requests.some((one) => one.includes("/events")),
    node.requests,
  ]);
  await page.context().close();
});

test("data that grow old over a connection that stays are said to be old", needs.mock, async () => {
  const page = await openPage(node);
  const { send } = node;
  node.send = () => undefined;
  await page.waitForSelector("#banner:visible");
  assert.match(await text(page, "#banner"), /out of date by \d+ s: the node sends no updates/);
  assert.match(await text(page, "#readiness"), /^was ready/);
  node.send = send;
  await page.waitForSelector("#banner", { state: "hidden" });
  assert.equal(await text(page, "#readiness"), "ready");
  await page.context().close();
});

test("waits grow while it stays away", needs.mock, async () => {
  const page = await openPage(node);
  const attempts = [];
  node.http.on("upgrade", () => attempts.push(Date.now()));
  node.refusing = true;
  node.dropClients();
  await eventually(
    page,
    "four attempts",
    async () => [attempts.length >= 4, attempts.length],
    20_000,
  );
  assert.ok(attempts[3] - attempts[2] > attempts[1] - attempts[0]);
  node.refusing = false;
  await page.waitForSelector('#connection[data-kind="live"]', { timeout: 20_000 });
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a node that was started anew has rates, not jumps", needs.mock, async () => {
  const page = await openPage(node);
  await eventually(page, "a rate", async () => [
    /bit\/s/.test(await text(page, '[data-figure="in"]')),
    "",
  ]);
  const zero = { inBundles: 0, inBytes: 0, outBundles: 0, outBytes: 0 };
  const links = Object.fromEntries(Object.keys(node.world.state.links).map((key) => [key, zero]));
  node.world.step = 0;
  node.world.apply({
    node: { uptimeSeconds: 1 },
    flow: { receivedBytes: 0, receivedBundles: 0 },
    links,
  });
  await eventually(page, "rates again", async () => {
    const shown = await text(page, '[data-figure="in"]');
    assert.doesNotMatch(shown, /-|T|P/);
    return [/Gbit\/s|Mbit\/s/.test(shown), shown];
  });
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
