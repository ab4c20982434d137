// SPDX-License-Identifier: Apache-2.0
// Stored bundles: listed and filtered, deleted and held; and what the plan will carry of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, eventually, needs, openPage, tokens, startNode, text } from "./support/harness.mjs";

const node = needs.mock.skip ? undefined : await startNode();
const page = node ? await openPage(node, { token: tokens.operate }) : undefined;
const list = "#stored-bundles";
const rows = () => page.locator(`${list} table`).getAttribute("aria-rowcount");
const first = () => page.locator(`${list} tbody tr[data-key]`).first();
const summary = () => text(page, `${list} > p`);
const confirm = async () => {
  await page.click("dialog .actions button:last-child");
  await page.waitForSelector("dialog", { state: "detached" });
};
const ask = async (destination) => {
  await page.fill("#bundles-destination", destination);
  await page.click(`${list} button[type=submit]`);
};

test("bundles are listed a page at a time", needs.mock, async () => {
  await page.waitForSelector("#storage tbody tr[data-key]");
  await page.click(`${list} summary`);
  await eventually(page, "a page", async () => [
    (await summary()) === "128 bundles, and further ones",
    await summary(),
  ]);
  await page.click("text=Fetch more");
  await eventually(page, "two pages", async () => [(await rows()) === "257", await rows()]);
  const number = await first().getAttribute("data-key");
  assert.equal(number, "9007199254740993", "numbers above 2^53 keep their last digit");
});

test(
  "they are filtered by destination, also from the table of what waits",
  needs.mock,
  async () => {
    await ask("mars");
    assert.match(await text(page, `${list} .fault`), /found mars; expected a node/);
    await ask("ipn:80.1");
    await eventually(page, "one endpoint", async () => [
      (await summary()) === "75 bundles for ipn:80.1",
      await summary(),
    ]);
    await page.click('#storage tr[data-key="40"] [data-cell="destination"] button');
    await eventually(page, "one node", async () => [
      (await summary()).startsWith("128 bundles for ipn:40.*"),
      await summary(),
    ]);
    await page.fill(`${list} input.search`, "refused");
    await eventually(page, "refused ones", async () => {
      const states = await page.locator(`${list} [data-cell="state"]`).allInnerTexts();
      return [states.length > 0 && states.every((one) => one.startsWith("refused")), states.length];
    });
    await page.fill(`${list} input.search`, "");
  },
);

test("one is deleted, once confirmed; one in custody with a further yes", needs.mock, async () => {
  const key = await first().getAttribute("data-key");
  await first().locator("button").click();
  assert.match(await text(page, "dialog"), /gone for good/);
  await page.click("dialog >> text=Cancel");
  assert.equal(node.world.deleted.size, 0);
  await first().locator("button").click();
  await confirm();
  await page.waitForSelector(`${list} tr[data-key="${key}"]`, { state: "detached" });
  assert.ok(node.world.deleted.has(key));
  await page.fill(`${list} input.search`, "custodian");
  await eventually(page, "in custody", async () => {
    const shown = await first().innerText();
    return [shown.includes("in custody"), shown];
  });
  await first().locator("button").click();
  await page.click("dialog .actions button:last-child");
  await page.waitForSelector("dialog .fault:not([hidden])");
  assert.match(await text(page, "dialog .fault"), /custodian/);
  await page.check("#delete-force");
  await confirm();
  assert.equal(node.world.deleted.size, 2);
  await page.fill(`${list} input.search`, "");
});

test("all for a destination are held and deleted", needs.mock, async () => {
  await ask("80");
  await page.waitForSelector(`${list} >> text=Hold…`);
  await page.click(`${list} >> text=Hold…`);
  await confirm();
  assert.equal(node.world.state.storage.held["80"], true);
  await page.waitForSelector(`${list} >> text=Release…`);
  await page.click(`${list} >> text=Release…`);
  await confirm();
  await page.click("text=Delete all of these…");
  await confirm();
  await eventually(page, "what is left", async () => {
    const shown = await summary();
    return [shown === "25 bundles for ipn:80.*", shown];
  });
});

test("a destination with a name cannot be held", needs.mock, async () => {
  node.world.apply({ pending: { "dtn://seven/": { bundles: 3, bytes: 300 } } });
  const command = (key) =>
    page.locator(`#storage tr[data-key="${key}"] [data-cell="command"] button`);
  await page.waitForSelector('#storage tr[data-key="dtn://seven/"]');
  assert.equal(await command("80").isVisible(), true);
  assert.equal(await command("dtn://seven/").isVisible(), false);
  node.world.apply({ pending: { "dtn://seven/": null } });
});

test("the list is for everybody", needs.mock, async () => {
  assert.deepEqual(await axe(page), []);
});

test("who may only read lists, and deletes nothing", needs.mock, async () => {
  const reading = await openPage(node, { token: tokens.read });
  await reading.click(`${list} summary`);
  await reading.waitForSelector(`${list} tbody tr[data-key]`);
  assert.equal(await reading.locator(`${list} [data-cell="command"]:visible`).count(), 0);
  assert.equal(await reading.locator("text=Delete all of these…").isVisible(), false);
  await reading.context().close();
});

test(
  "a forecast says what the next contact carries, and when all is gone",
  needs.mock,
  async () => {
    const world = node.world;
    world.frozen = true;
    const at = (minutes) => new Date(world.nowMs + minutes * 60_000).toISOString();
    // 1 MB/s to node 40: 60 MB in the first minute-long contact, the rest in the second.
    world.contacts = [
      { contact: 1, source: 10, dest: 40, startTime: at(10), endTime: at(11), rateBitsPerSec: 8e6 },
      { contact: 2, source: 10, dest: 40, startTime: at(20), endTime: at(30), rateBitsPerSec: 8e6 },
      { contact: 3, source: 10, dest: 80, startTime: at(5), endTime: at(6), rateBitsPerSec: 8e6 },
    ];
    world.apply({
      pending: {
        40: { bundles: 10, bytes: 90e6 },
        80: { bundles: 10, bytes: 100e6 },
        110: { bundles: 10, bytes: 5e6 },
      },
      storage: { held: { 110: true, 990: null } },
      plan: { version: world.state.plan.version + 1 },
    });
    const row = (hop) => page.locator(`#forecast tr[data-key="${hop}"]`);
    await eventually(page, "what is carried", async () => {
      const shown = await row(40).locator('[data-cell="carries"]').allInnerTexts();
      return [/^60\.0.MB, 67.%$/.test(shown[0] ?? ""), shown];
    });
    assert.match(
      await row(40).locator('[data-cell="next"]').innerText(),
      /^in (10|9) min.*, for 1 min/,
    );
    assert.match(await row(40).locator('[data-cell="gone"]').innerText(), /^in (20|19) min/);
    assert.match(
      await row(80).locator('[data-cell="gone"]').innerText(),
      /^not by this plan: 40\.0.MB left/,
    );
    assert.equal(await row(110).locator('[data-cell="gone"]').innerText(), "all is held");
    world.frozen = false;
  },
);

test(
  "an expiry that there is is shown, and one that is not known is said not to be",
  needs.mock,
  async () => {
    node.world.frozen = true;
    node.world.apply({
      pending: { 40: { nextExpiry: new Date(node.world.nowMs + 3_600_000).toISOString() } },
    });
    node.world.apply({ pending: { 80: { bundles: 4, bytes: 4_000, nextExpiry: null } } });
    const expiry = (key) => text(page, `#storage tr[data-key="${key}"] [data-cell="expiry"]`);
    await eventually(page, "an expiry", async () => {
      const shown = [await expiry(40), await expiry(80)];
      return [/^in (1 h|59 min|60 min)/.test(shown[0]) && shown[1] === "not known", shown];
    });
    node.world.frozen = false;
  },
);

test("nothing failed in the page", needs.mock, () => assert.deepEqual(page.faults, []));
