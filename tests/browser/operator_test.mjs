// SPDX-License-Identifier: Apache-2.0
// What the operator has said of the node, of destinations and of links: it is marked, said from the
// page by those who operate, and taken back.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  apiGet,
  apiSend,
  axe,
  cell,
  eventually,
  needs,
  openPage,
  startNode,
  text,
  tokens,
} from "./support/harness.mjs";

const node = await startNode();
const page = await openPage(node, { token: tokens.operate });
const bothTokens = { ...needs.read, ...needs.operate };

const drained = async () => (await apiGet(node, "state")).node.drained;
const row = (destination) => `#storage tr[data-key="${destination}"]`;
const holdButton = (destination) =>
  page.locator(`${row(destination)} [data-cell="command"] button`);
const isHeld = async (destination) =>
  (await apiGet(node, "storage/holds")).held.includes(destination);
const stateOf = (destination) =>
  page.locator(`${row(destination)} [data-cell="state"]`).allInnerTexts();
const told = (words) =>
  eventually(page, "told", async () => {
    const said = await page.locator("#announcements").textContent();
    return [said.includes(words), said];
  });
const confirm = async () => {
  await page.click("dialog .actions button:last-child");
  await page.waitForSelector("dialog", { state: "detached" });
};

/** Sends what the page asks for with a token that the node does not know. */
async function refusedByToken(path) {
  const pattern = `**/api/v1/${path}`;
  await page.route(pattern, (route) =>
    route.continue({
      headers: { ...route.request().headers(), authorization: "Bearer wrong-token-0123456789" },
    }),
  );
  await page.click("dialog .actions button:last-child");
  await page.waitForSelector("dialog .fault:not([hidden])");
  assert.match(await text(page, "dialog .fault"), /token/i);
  await page.unroute(pattern);
  await page.keyboard.press("Escape");
}

test("a node that takes what comes has no badge", needs.operate, async () => {
  await page.waitForSelector("#drain:visible");
  assert.equal(await text(page, "#drain"), "Drain node");
  assert.equal(await page.locator("#drained").isVisible(), false);
});

test("the node is drained by a click, once confirmed, and resumed", needs.operate, async () => {
  await page.click("#drain");
  await page.click("dialog >> text=Cancel");
  assert.equal(await drained(), false);
  await page.click("#drain");
  assert.match(await text(page, "dialog"), /refuses new bundles .* and from applications/);
  await confirm();
  await page.waitForSelector("#drained:visible");
  assert.match(await text(page, "#drained"), /^drained: takes no new bundles$/);
  assert.equal(await drained(), true);
  await told("Drain mode is on");
  assert.equal(await text(page, "#drain"), "Resume node");
  await page.click("#drain");
  await confirm();
  await page.waitForSelector("#drained", { state: "hidden" });
  assert.equal(await drained(), false);
  await told("Drain mode is off");
});

test("who drains it elsewhere is seen here, in both themes", needs.operate, async () => {
  await apiSend(node, "POST", "drain");
  await page.waitForSelector("#drained:visible");
  for (const theme of ["light", "dark"]) {
    await page.selectOption("#theme", theme);
    assert.deepEqual(await axe(page), [], theme);
  }
  await apiSend(node, "POST", "resume");
  await page.waitForSelector("#drained", { state: "hidden" });
});

test("a destination is held, with nothing waiting, and released", needs.operate, async () => {
  await page.fill("#hold-node", "77");
  await page.click("text=Hold…");
  await page.click("dialog >> text=Cancel");
  assert.equal(await isHeld(77), false);
  await page.click("text=Hold…");
  await confirm();
  await eventually(page, "the mark", async () => {
    const shown = await stateOf(77);
    return [shown[0] === "■ held by operator", shown];
  });
  assert.equal(await isHeld(77), true);
  await told("Node 77 is held");
  assert.equal(await text(page, `${row(77)} [data-cell="bundles"]`), "0");
  assert.equal(await holdButton(77).getAttribute("aria-label"), "Release node 77");
  await page.fill("#hold-node", "77");
  await page.click("text=Hold…");
  assert.match(await text(page, "#storage .fault"), /Node 77 is already held/);
  await holdButton(77).click();
  await confirm();
  await page.waitForSelector(row(77), { state: "detached" });
  assert.equal(await isHeld(77), false);
});

test("what is no node is not held, and says so", needs.operate, async () => {
  for (const wrong of ["", "x", "0", "-3"]) {
    await page.fill("#hold-node", wrong);
    await page.click("text=Hold…");
    assert.match(await text(page, "#storage .fault"), /whole number/, wrong);
  }
  const { node: own } = await apiGet(node, "state");
  await page.fill("#hold-node", String(own.number));
  await page.click("text=Hold…");
  await page.click("dialog button.danger");
  await page.waitForSelector("dialog .fault:not([hidden])");
  assert.match(await text(page, "dialog .fault"), /the node itself|this node, whose bundles/);
  await page.keyboard.press("Escape");
});

test("a destination for which bundles wait is held where it stands", needs.operate, async () => {
  // Of a real node what is held waits, whoever holds it; the mock has always something.
  const [destination, held] = [node.world ? 80 : 2, !node.world];
  if (held) await apiSend(node, "PUT", `storage/holds/${destination}`);
  await eventually(page, "waiting", async () => {
    const waiting = await page
      .locator(`${row(destination)} [data-cell="bundles"]`)
      .allInnerTexts();
    return [waiting.length === 1 && Number(waiting[0].replace(/\D/g, "")) > 0, waiting];
  });
  for (const turn of held ? [false] : [true, false]) {
    await holdButton(destination).click();
    await confirm();
    assert.equal(await isHeld(destination), turn);
    await eventually(page, "the mark", async () => {
      const shown = await stateOf(destination);
      return [shown.includes("■ held by operator") === turn, shown];
    });
  }
});

test("a link whose rate or light time the operator has said is marked", needs.operate, async () => {
  const { links } = await apiGet(node, "state");
  const key = Object.keys(links).find((one) => links[one].up && links[one].direction !== "in");
  const limit = page.locator(cell(page, key, "limit"));
  assert.doesNotMatch(await limit.innerText(), /\*/);
  assert.equal(await limit.getAttribute("title"), null);
  await apiSend(node, "PUT", `links/${key}/override`, { rateBitsPerSec: 400_000_000, owlt: 2 });
  await eventually(page, "the mark", async () => {
    const shown = await text(page, cell(page, key, "limit"));
    return [shown.replaceAll("\u202f", " ") === "400 Mbit/s *", shown];
  });
  assert.match(await text(page, cell(page, key, "light")), /^2\.00.s \*$/);
  assert.match(await limit.getAttribute("title"), /operator has set .* overrides the plan/);
  assert.equal(await page.locator("#links >> text=/^\\* The operator/").isVisible(), true);
  await apiSend(node, "PUT", `links/${key}/override`, { rateBitsPerSec: null, owlt: null });
  await eventually(page, "no mark", async () => {
    const shown = await text(page, cell(page, key, "limit"));
    return [!shown.includes("*"), shown];
  });
});

test("a wrong token is refused, and nothing has changed", needs.operate, async () => {
  await page.click("#drain");
  await refusedByToken("drain");
  assert.equal(await drained(), false);
  await page.fill("#hold-node", "78");
  await page.click("text=Hold…");
  await refusedByToken("storage/holds/78");
  assert.equal(await isHeld(78), false);
});

test("who may only read sees the marks, and no command", bothTokens, async () => {
  await apiSend(node, "PUT", "storage/holds/79");
  const reading = await openPage(node, { token: tokens.read });
  await reading.waitForSelector(`${row(79)} .state.held`);
  await eventually(reading, "the role", async () => [
    (await text(reading, "#token")) === "Role: read",
    await text(reading, "#token"),
  ]);
  assert.equal(await reading.locator("#drain").isVisible(), false);
  assert.equal(await reading.locator("#hold-node").isVisible(), false);
  assert.equal(await reading.locator('#storage [data-cell="command"]:visible').count(), 0);
  await reading.context().close();
  await apiSend(node, "DELETE", "storage/holds/79");
});

test("what is held is known by number, however large", needs.mock, async () => {
  const largest = "18446744073709551615";
  node.world.apply({ storage: { held: { [largest]: true } } });
  await eventually(page, "the row", async () => {
    const shown = await stateOf(largest);
    return [shown.length === 1, shown];
  });
  assert.equal(await text(page, `${row(largest)} [data-cell="destination"]`), largest);
});

test("a node that tells nothing of it shows nothing", needs.mock, async () => {
  node.world.apply({ node: { drained: null }, storage: { held: null } });
  await page.waitForSelector("#drain", { state: "hidden" });
  await page.waitForSelector("#hold-node", { state: "hidden" });
  assert.equal(await page.locator('#storage [data-cell="command"] button:visible').count(), 0);
});

test("nothing failed in the page", () => assert.deepEqual(page.faults, []));
