// SPDX-License-Identifier: Apache-2.0
// Commands: only with a token that operates, each confirmed, and refusals that say what to change.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  apiGet,
  cell,
  eventually,
  needs,
  openPage,
  startNode,
  text,
  tokens,
} from "./support/harness.mjs";

const node = await startNode();
const page = await openPage(node);

const enterToken = async (token) => {
  await page.click("#token");
  await page.fill("#token-field", token);
  await page.click("dialog button.primary");
};
const linkOf = async () => {
  const { links } = await apiGet(node, "state");
  return Object.keys(links).find((key) => links[key].up && links[key].direction !== "in");
};
const commandButtons = () => page.locator('#links [data-cell="command"] button:visible').count();
const state = (key) => text(page, cell(page, key, "state"));

test("without a token nothing can be commanded", async () => {
  await page.waitForSelector("#links tbody tr[data-key]");
  assert.equal(await commandButtons(), 0);
  assert.equal(await page.locator("#plan-upload").isVisible(), false);
});

test("a wrong token is refused with a reason", async () => {
  await enterToken("wrong-token-0123456789");
  await page.waitForSelector("dialog .fault:not([hidden])");
  assert.match(await text(page, "dialog .fault"), /token/i);
  assert.equal(await page.evaluate(() => sessionStorage.getItem("farlink.token")), null);
  await page.keyboard.press("Escape");
  assert.equal(await text(page, "#token"), "Enter token");
  assert.equal(await commandButtons(), 0);
});

test("an empty token is not sent", async () => {
  await page.click("#token");
  await page.click("dialog button.primary");
  assert.match(await text(page, "dialog .fault"), /Enter a token/);
  await page.keyboard.press("Escape");
});

test("a token to read may only read", needs.read, async () => {
  await enterToken(tokens.read);
  await eventually(page, "the role", async () => [
    (await text(page, "#token")) === "Role: read",
    await text(page, "#token"),
  ]);
  assert.equal(await commandButtons(), 0);
});

test("a token to operate shows the commands, and stays in this tab", needs.operate, async () => {
  await enterToken(tokens.operate);
  await eventually(page, "the role", async () => [
    (await text(page, "#token")) === "Role: operate",
    await text(page, "#token"),
  ]);
  await eventually(page, "buttons", async () => [
    (await commandButtons()) > 0,
    await commandButtons(),
  ]);
  assert.equal(
    await page.evaluate(() =>
      JSON.stringify(localStorage).includes(sessionStorage.getItem("farlink.token")),
    ),
    false,
  );
  assert.ok(!page.url().includes(tokens.operate));
});

test(
  "a link is taken down by a click, once confirmed, and let up again",
  needs.operate,
  async () => {
    const key = await linkOf();
    const press = () => page.click(`${cell(page, key, "command")} button`);
    await press();
    await page.click("dialog >> text=Cancel");
    assert.equal((await apiGet(node, "state")).links[key].enabled, true);
    await press();
    await page.click("dialog button.danger");
    await eventually(page, "down", async () => [
      (await state(key)).includes("down by operator"),
      await state(key),
    ]);
    assert.equal((await apiGet(node, "state")).links[key].enabled, false);
    assert.equal(await page.locator("dialog").count(), 0);
    await eventually(page, "told", async () => {
      const told = await page.locator("#announcements").textContent();
      return [/down by operator/.test(told), told];
    });
    await press();
    await page.click("dialog button.primary");
    await eventually(page, "up", async () => [
      (await state(key)).startsWith("● up"),
      await state(key),
    ]);
  },
);

test("a plan is shown before it is put in force", needs.operate, async () => {
  const { plan, contacts } = await apiGet(node, "contact-plan");
  const longer = contacts.map((one, place) =>
    place === 0
      ? { ...one, endTime: new Date(Date.parse(one.endTime) + 1_000).toISOString() }
      : one,
  );
  await page.click("#plan-upload");
  await page.setInputFiles("#plan-file", {
    name: "plan.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ contacts: longer })),
  });
  assert.equal(await page.locator("#plan-apply").isDisabled(), true);
  await page.click("#plan-check");
  await page.waitForSelector("#plan-change p");
  assert.match(await text(page, "#plan-change"), /0 added, 1 changed, 0 removed/);
  assert.equal((await apiGet(node, "contact-plan")).plan.version, plan.version);
  await page.click("#plan-apply");
  await page.waitForSelector("dialog", { state: "detached" });
  assert.equal((await apiGet(node, "contact-plan")).plan.version, plan.version + 1);
  await eventually(page, "the version", async () => {
    const shown = await text(page, "#plan-summary");
    return [shown.startsWith(`version ${plan.version + 1},`), shown];
  });
});

test("a plan that changes nothing is not put in force", needs.operate, async () => {
  const { contacts } = await apiGet(node, "contact-plan");
  await page.click("#plan-upload");
  await page.fill("#plan-text", JSON.stringify({ contacts }));
  await page.click("#plan-check");
  await eventually(page, "nothing changes", async () => [
    /already/.test(await text(page, "#plan-change")),
    await text(page, "#plan-change"),
  ]);
  assert.equal(await page.locator("#plan-apply").isDisabled(), true);
  await page.keyboard.press("Escape");
});

test("a plan that is wrong is refused with each reason", needs.operate, async () => {
  await page.click("#plan-upload");
  await page.fill("#plan-text", "not JSON");
  await page.click("#plan-check");
  await page.waitForSelector("dialog .fault:not([hidden])");
  assert.match(await text(page, "dialog .fault"), /neither JSON nor a list of ION's commands/);
  await page.fill(
    "#plan-text",
    JSON.stringify({
      contacts: [
        {
          contact: 1,
          source: 10,
          dest: 20,
          startTime: "2026-11-22T15:00:00Z",
          endTime: "2026-11-22T14:00:00Z",
        },
      ],
    }),
  );
  await page.click("#plan-check");
  await eventually(page, "the reasons", async () => [
    /endTime/.test(await text(page, "dialog .fault")),
    await text(page, "dialog .fault"),
  ]);
  assert.equal(await page.locator("#plan-apply").isDisabled(), true);
  await page.keyboard.press("Escape");
});

test("a route is explained, and a question without sense refused", async () => {
  await page.fill("#explain-source", "10");
  await page.fill("#explain-destination", "x");
  await page.click(".explain-box button[type=submit]");
  assert.match(await text(page, ".explain-box .fault"), /whole number/);
  await page.fill("#explain-destination", "40");
  await page.click(".explain-box button[type=submit]");
  await eventually(page, "an outcome", async () => {
    const shown = await page.locator("#explain-answer .outcome").allInnerTexts();
    return [shown.length === 1 && shown[0].length > 5, shown];
  });
});

test("a refused command says why, and the dialog stays", needs.mock, async () => {
  const key = await linkOf();
  await page.click(`${cell(page, key, "command")} button`);
  const link = node.world.state.links[key];
  delete node.world.state.links[key];
  await page.click("dialog button.danger");
  await page.waitForSelector("dialog .fault:not([hidden])");
  assert.match(await text(page, "dialog .fault"), new RegExp(`no link ${key}`));
  node.world.state.links[key] = link;
  await page.keyboard.press("Escape");
});

test("a token that is forgotten takes the commands with it", needs.operate, async () => {
  await page.click("#token");
  await page.click("text=Forget the token");
  await eventually(page, "no buttons", async () => [
    (await commandButtons()) === 0,
    await commandButtons(),
  ]);
});

test("nothing failed in the page", () => assert.deepEqual(page.faults, []));
