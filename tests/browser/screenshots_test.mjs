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
