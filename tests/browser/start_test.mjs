// SPDX-License-Identifier: Apache-2.0
// How the page begins: small, quick with a hundred links, nothing inline, nothing from elsewhere.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { openPage, pageFolder, startNode } from "./support/harness.mjs";

const MOST_BYTES = 200_000;
const MOST_MS = 1_000;

const files = (folder) =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });

test("the page is below 200 kB compressed", () => {
  const bytes = files(pageFolder)
    .filter((path) => !path.endsWith(".gz"))
    .reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);
  console.log(`browser: the page is ${bytes} bytes compressed`);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
});

test("the page has no inline script or style, and names no other host", () => {
  const html = readFileSync(join(pageFolder, "index.html"), "utf8");
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
  assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//i);
});

test("first paint with 100 links is within a second", async () => {
  const node = await startNode({ links: 100 });
  const results = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const page = await openPage(node);
    await page.waitForFunction(
      () => document.querySelectorAll("#links tbody tr[data-key]").length > 0,
    );
    const shown = await page.evaluate(() => performance.now());
    const paint = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
    );
    results.push({ paint: Math.round(paint), figures: Math.round(shown) });
    assert.deepEqual(page.faults, []);
    assert.deepEqual(page.foreign, []);
    await page.context().close();
  }
  console.log(`browser: first paint and figures with 100 links, ms: ${JSON.stringify(results)}`);
  // The best of three; a machine with more to do than it has processors for is slower.
  const busy = loadavg()[0] > cpus().length;
  assert.ok(
    Math.min(...results.map((one) => one.paint)) < (busy ? 4 : 1) * MOST_MS,
    JSON.stringify(results),
  );
  // The mock computes its hour of history meanwhile, on the same processors.
  if (!busy) {
    assert.ok(
      Math.min(...results.map((one) => one.figures)) < 2 * MOST_MS,
      JSON.stringify(results),
    );
  }
});
