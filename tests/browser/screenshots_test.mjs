// SPDX-License-Identifier: Apache-2.0
// Pictures of the page for people to look at: FARLINK_SCREENSHOTS, or build/screenshots.
import { test } from "node:test";
import { baseUrl, needs, openPage, screenshotPath, startNode, tokens } from "./support/harness.mjs";

const node = await startNode();
const prefix = baseUrl ? "node" : "mock";
const VIEWS = [
  { name: "desktop-dark", theme: "dark", width: 1440, height: 1000 },
  { name: "desktop-light", theme: "light", width: 1440, height: 1000 },
  { name: "tablet-light", theme: "light", width: 820, height: 1100 },
  { name: "phone-dark", theme: "dark", width: 360, height: 780 },
];

for (const { name, ...view } of VIEWS) {
  test(name, async () => {
    const page = await openPage(node, { ...view, token: tokens.operate });
    await page.waitForSelector("#links tbody tr[data-key]");
    await page.waitForSelector("#plan .timeline rect, #plan .timeline text");
    await page.waitForFunction(() =>
      /bit\/s/.test(document.querySelector('[data-figure="in"]').textContent),
    );
    await page.waitForTimeout(1_500);
    await page.screenshot({ path: screenshotPath(`${prefix}-${name}`), fullPage: true });
    if (view.width >= 1000)
      await page.screenshot({ path: screenshotPath(`${prefix}-${name}-first-screen`) });
    await page.context().close();
  });
}

/** What needs a person, as the mock can make it. */
const ALARMS = [
  {
    name: "plan-ended",
    severity: "critical",
    text: "the contact plan ended at 2026-11-22T15:00:00Z; 4,120 bundles wait",
    action: "load a plan: farlinkctl plan replace FILE",
  },
  {
    name: "link-misses-contact",
    severity: "warning",
    link: 3,
    neighbour: 40,
    text: "link 3 to node 40 is not connected 90 s into its contact",
    action: "check the peer's address and proof: farlinkctl links",
  },
];

for (const { name, links = 12, alarms = false, gone = false, hash = "", ...view } of [
  { name: "alarms-light", theme: "light", width: 1440, height: 1000, alarms: true },
  { name: "alarms-phone-dark", theme: "dark", width: 360, height: 780, alarms: true },
  { name: "gone-dark", theme: "dark", width: 1440, height: 1000, gone: true },
  { name: "one-link-light", theme: "light", width: 1440, height: 1000, links: 1 },
  { name: "hundred-links-dark", theme: "dark", width: 1440, height: 1000, links: 100 },
  { name: "hundred-links-phone-light", theme: "light", width: 360, height: 780, links: 100 },
  { name: "link-page-dark", theme: "dark", width: 1440, height: 1000, hash: "#link=1" },
]) {
  test(name, needs.mock, async () => {
    const own = await startNode({ links });
    if (alarms) for (const alarm of ALARMS) own.world.raise(alarm);
    const page = await openPage(own, { ...view, token: tokens.operate });
    if (hash) await page.evaluate((to) => (location.hash = to), hash);
    await page.waitForFunction(() =>
      /bit\/s/.test(document.querySelector('[data-figure="in"]').textContent),
    );
    if (gone) {
      own.refusing = true;
      own.dropClients();
      await page.waitForSelector("body.stale");
    }
    await page.waitForTimeout(1_500);
    await page.screenshot({ path: screenshotPath(`${prefix}-${name}`), fullPage: true });
    await page.context().close();
  });
}

test("a dialog", needs.mock, async () => {
  const page = await openPage(node, {
    theme: "light",
    width: 1100,
    height: 800,
    token: tokens.operate,
  });
  await page.click("#plan-upload");
  const contacts = node.world.contacts.slice(1);
  await page.setInputFiles("#plan-file", {
    name: "plan.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ contacts }, null, 1)),
  });
  await page.click("#plan-check");
  await page.waitForSelector("#plan-change p");
  await page.screenshot({ path: screenshotPath(`${prefix}-plan-dialog`) });
  await page.context().close();
});
