// SPDX-License-Identifier: Apache-2.0
// The plan by hand: one contact edited, added, taken out; a plan in ION's commands; and the keys of
// the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, eventually, needs, openPage, tokens, startNode, text } from "./support/harness.mjs";

const node = needs.mock.skip ? undefined : await startNode();
const page = node ? await openPage(node, { token: tokens.operate }) : undefined;
const coming = () =>
  node.world.contacts
    .filter((one) => Date.parse(one.startTime) > node.world.nowMs)
    .sort((a, b) => Date.parse(a.startTime) - Date.parse(b.startTime))[0];
const contactOf = (number) => node.world.contacts.find((one) => one.contact === number);
const apply = async () => {
  await page.waitForSelector("#plan-apply:not([disabled])");
  await page.click("#plan-apply");
  await page.waitForSelector("dialog", { state: "detached" });
};
const editing = async (number) => {
  await page.fill("#plan input.search", `contact ${number} `);
  const row = page.locator(`#plan tr[data-key="${number}"]`);
  await row.locator("button").click();
  await page.waitForSelector("dialog[open]");
};

test("a contact is edited: shown before it is changed", needs.mock, async () => {
  await page.waitForSelector("#plan-upload:visible");
  await page.click("text=Contacts as a table");
  const { contact: number, startTime, dest } = coming();
  await editing(number);
  assert.match(
    await text(page, "dialog h2"),
    new RegExp(`^Contact ${number}: node 10 to node ${dest}`),
  );
  assert.equal(Date.parse(await page.inputValue("#contact-start")), Date.parse(startTime));
  await page.fill("#contact-rate", "2.5 Mbit/s");
  await page.fill("#contact-owlt", "1.3");
  assert.equal(await page.locator("#plan-apply").isDisabled(), true);
  await page.click("#plan-check");
  await eventually(page, "the change", async () => {
    const shown = await page.locator("#plan-change").innerText();
    return [/0 added, 1 changed, 0 removed/.test(shown), shown];
  });
  assert.notEqual(contactOf(number).rateBitsPerSec, 2.5e6);
  assert.deepEqual(await axe(page), []);
  await apply();
  assert.equal(contactOf(number).rateBitsPerSec, 2.5e6);
  assert.equal(contactOf(number).owlt, 1.3);
  assert.equal(Date.parse(contactOf(number).startTime), Date.parse(startTime));
});

test("what was shown holds no longer once a field changes", needs.mock, async () => {
  const { contact: number } = coming();
  await editing(number);
  await page.fill("#contact-rate", "3 Mbit/s");
  await page.click("#plan-check");
  await page.waitForSelector("#plan-apply:not([disabled])");
  await page.fill("#contact-rate", "4 Mbit/s");
  assert.equal(await page.locator("#plan-apply").isDisabled(), true);
  await page.keyboard.press("Escape");
});

test("wrong fields are named, and the node's refusals shown", needs.mock, async () => {
  const { contact: number } = coming();
  await editing(number);
  for (const [field, value, reason] of [
    ["#contact-start", "tomorrow", /Begins: expected a time in UTC/],
    ["#contact-rate", "fast", /Rate: expected bits per second/],
    ["#contact-owlt", "-1", /Light time: expected seconds/],
  ]) {
    const before = await page.inputValue(field);
    await page.fill(field, value);
    await page.click("#plan-check");
    assert.match(await text(page, "dialog .fault"), reason);
    await page.fill(field, before);
  }
  await page.fill("#contact-end", "2001-01-01T00:00:00Z");
  await page.click("#plan-check");
  await eventually(page, "the refusal", async () => {
    const shown = await text(page, "dialog .fault");
    return [/endTime: .*a time after startTime/.test(shown), shown];
  });
  await page.keyboard.press("Escape");
});

test("a contact is added, and taken out", needs.mock, async () => {
  const before = node.world.contacts.length;
  await page.click("#contact-add");
  assert.equal(await page.inputValue("#contact-source"), "10");
  await page.fill("#contact-dest", "20");
  await page.fill("#contact-start", "2030-01-01 00:00");
  await page.fill("#contact-end", "2030-01-01 01:00");
  await page.fill("#contact-rate", "0");
  await page.click("#plan-check");
  await page.waitForSelector("#plan-change >> text=/1 added/");
  await apply();
  assert.equal(node.world.contacts.length, before + 1);
  const { contact: number } = node.world.contacts.at(-1);
  await page
    .waitForSelector(`#plan tr[data-key="${number}"]`, { state: "attached" })
    .catch(() => {});
  await editing(number);
  await page.click("dialog >> text=Take it out…");
  await page.waitForSelector("#plan-change >> text=/1 removed/");
  assert.equal(await text(page, "#plan-apply"), "Take it out");
  await apply();
  assert.equal(node.world.contacts.length, before);
  await page.fill("#plan input.search", "");
});

test("a plan in ION's commands is taken as it is", needs.mock, async () => {
  await page.click("#plan-upload");
  await page.setInputFiles("#plan-file", {
    name: "relay.ion",
    mimeType: "text/plain",
    buffer: Buffer.from(
      "# a pass\na contact +60 +3600 10 20 125000\na contact +60 +3600 20 10 125000\n",
    ),
  });
  await page.click("#plan-check");
  await eventually(page, "the change", async () => {
    const shown = await page.locator("#plan-change").innerText();
    return [/2 contacts/.test(shown), shown];
  });
  await apply();
  assert.equal(node.world.contacts.length, 2);
  assert.equal(node.world.contacts[0].rateBitsPerSec, 1_000_000);
  await page.click("#plan-upload");
  await page.fill("#plan-text", "a contact +60\n");
  await page.click("#plan-check");
  await eventually(page, "the refusal", async () => {
    const shown = await text(page, "dialog .fault");
    return [/line 1: found a contact \+60/.test(shown), shown];
  });
  await page.keyboard.press("Escape");
});

test("who may only read edits nothing", needs.mock, async () => {
  const reading = await openPage(node, { token: tokens.read });
  await reading.click("text=Contacts as a table");
  await reading.waitForSelector("#plan tbody tr[data-key]");
  assert.equal(await reading.locator('#plan [data-cell="command"]:visible').count(), 0);
  assert.equal(await reading.locator("#contact-add").isVisible(), false);
  await reading.context().close();
});

test("the question mark lists the keys, which do what it says", needs.mock, async () => {
  await page.keyboard.press("?");
  await page.waitForSelector("dialog.help[open]");
  assert.match(await text(page, "dialog.help"), /pause and resume/);
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.keyboard.press("p");
  assert.equal(await text(page, "#connection"), "paused");
  await page.keyboard.press("p");
  assert.equal(await text(page, "#connection"), "live");
  await page.keyboard.press("4");
  assert.equal(await page.evaluate(() => location.hash), "#links");
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.className), "search");
  await page.keyboard.type("p1");
  assert.equal(await text(page, "#connection"), "live", "in a field the keys are letters");
  await page.keyboard.press("Escape");
});

test("the keys are turned off where they are in the way", needs.mock, async () => {
  await page.click("#keys");
  await page.uncheck("#keys-on");
  await page.click("dialog >> text=Close");
  await page.keyboard.press("p");
  assert.equal(await text(page, "#connection"), "live");
  await page.click("#keys");
  await page.check("#keys-on");
  await page.keyboard.press("Escape");
});

test("nothing failed in the page", needs.mock, () => assert.deepEqual(page.faults, []));
