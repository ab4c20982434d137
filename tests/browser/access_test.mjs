// SPDX-License-Identifier: Apache-2.0
// For everybody: axe-core in both themes, keyboard only, narrow screens, reduced motion.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
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

// Each theme and each width once; all pairs of them are a part of `./farlink-dev verify`.
const whole = !needs.mock.skip && process.env.FARLINK_WHOLE;
const themes = ["light", "dark"];
const screens = themes.flatMap((theme) => [1440, 360].map((width) => ({ theme, width })));
const distinct = screens.filter(({ theme, width }) => (theme === "light") === (width === 1440));

for (const { theme, width } of whole ? screens : distinct) {
  test(`axe finds nothing: ${theme}, ${width} px`, async () => {
    const page = await openPage(node, { theme, width, token: tokens.operate });
    await page.waitForSelector("#links tbody tr[data-key]");
    await page.waitForSelector("#plan .timeline rect");
    assert.deepEqual(await axe(page), []);
    if (tokens.operate) {
      await page.click("#plan-upload");
      await page.fill("#plan-text", "no plan");
      await page.click("#plan-check");
      await page.waitForSelector("dialog .fault:not([hidden])");
      assert.deepEqual(await axe(page), [], "with a dialog open");
    }
    await page.context().close();
  });
}

for (const width of whole ? [320, 360, 414, 768, 1024, 1440] : [320, 768]) {
  test(`nothing is wider than the screen: ${width} px`, async () => {
    const page = await openPage(node, { width, token: tokens.operate });
    await page.waitForSelector("#links tbody tr[data-key]");
    await page.waitForSelector("#plan .timeline rect");
    const [wide, inner] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      innerWidth,
    ]);
    assert.ok(wide <= inner, `${wide} px on a screen of ${inner}`);
    await page.click("#token");
    const dialog = await page.locator("dialog").boundingBox();
    assert.ok(dialog.x >= 0 && dialog.x + dialog.width <= width);
    await page.context().close();
  });
}

test("all is reached by keyboard, and the focus is seen", needs.operate, async () => {
  const page = await openPage(node, { token: tokens.operate });
  await page.waitForSelector('#links [data-cell="command"] button:visible');
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  const unseen = [];
  const reached = new Set();
  for (let step = 0; step < 400; step += 1) {
    const [name, seen, end] = await page.evaluate(() => {
      const at = document.activeElement;
      const style = getComputedStyle(at);
      return [
        at.id || at.getAttribute("aria-label") || at.textContent.trim(),
        style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
        at === document.body,
      ];
    });
    if (end) break;
    reached.add(name);
    if (!seen) unseen.push(name);
    await page.keyboard.press("Tab");
  }
  assert.deepEqual(unseen, []);
  for (const name of [
    "pause",
    "theme",
    "token",
    "Zoom in",
    "keys",
    "plan-upload",
    "Take down link 1",
    "explain-source",
    "event-level",
  ]) {
    assert.ok(reached.has(name) || name.startsWith("Take down"), `${name} is reached`);
  }
  assert.ok([...reached].some((name) => name.startsWith("Take down")));
  await page.context().close();
});

test(
  "a link goes down by keyboard alone; the dialog holds the focus and gives it back",
  { ...needs.mock, ...needs.operate },
  async () => {
    const page = await openPage(node, { token: tokens.operate });
    const control = page.locator(`${cell(page, "1", "command")} button`);
    await control.waitFor();
    await control.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open]");
    for (let step = 0; step < 5; step += 1) {
      await page.keyboard.press("Tab");
      assert.ok(
        await page.evaluate(
          () =>
            document.activeElement === document.body || !!document.activeElement.closest("dialog"),
        ),
      );
    }
    await page.locator("dialog button.danger").focus();
    await page.keyboard.press("Enter");
    await eventually(page, "down", async () => {
      const shown = await text(page, cell(page, "1", "state"));
      return [shown.includes("down by operator"), shown];
    });
    assert.equal(await page.evaluate(() => document.activeElement.closest("tr")?.dataset.key), "1");
    await page.context().close();
  },
);

test("charts are zoomed and moved by keyboard", async () => {
  const page = await openPage(node);
  await page.locator("#rates .chart").first().focus();
  await page.keyboard.press("+");
  assert.match(await text(page, "#rates-note"), /zoomed/);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("0");
  assert.equal(await text(page, "#rates-note"), "");
  await page.context().close();
});

test("states are told to screen readers, figures are not", needs.mock, async () => {
  const page = await openPage(node);
  const live = await page.$$eval("[aria-live], [role=status], [role=alert]", (all) =>
    all.map((one) => one.id || one.className),
  );
  assert.ok(live.includes("announcements"));
  assert.equal(
    await page.locator("[aria-live] [data-figure], [role=status] [data-figure]").count(),
    0,
  );
  await page.waitForSelector("#links tbody tr[data-key]");
  node.world.setLink("5", false);
  await eventually(page, "told", async () => {
    const told = await page.locator("#announcements").textContent();
    return [told.includes("Link 5 is down by operator"), told];
  });
  node.world.setLink("5", true);
  await page.context().close();
});

test("with reduced motion nothing moves by itself", async () => {
  const page = await openPage(node, { reducedMotion: "reduce" });
  await page.waitForSelector("#links tbody tr[data-key]");
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  await page.context().close();
});

test("the theme is chosen, and kept", async () => {
  const page = await openPage(node, { theme: "light" });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "light");
  await page.selectOption("#theme", "dark");
  assert.equal(await theme(), "dark");
  await page.reload();
  assert.equal(await theme(), "dark");
  await page.selectOption("#theme", "auto");
  assert.equal(await theme(), "light");
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
