// SPDX-License-Identifier: Apache-2.0
// For a minute, or FARLINK_BROWSER_SECONDS, at ten updates a second with 100 links: memory stays,
// and the page does not stutter.
import assert from "node:assert/strict";
import { cpus, loadavg } from "node:os";
import { test } from "node:test";
import { openPage, startNode } from "./support/harness.mjs";

const SECONDS = Number(process.env.FARLINK_BROWSER_SECONDS ?? 60);
const WARM_UP_SECONDS = Math.min(15, SECONDS / 2);
const MOST_CPU_PERCENT = 50;
const MOST_GROWTH_BYTES = 1_500_000;

const wait = (seconds) => new Promise((done) => setTimeout(done, seconds * 1_000));

test("memory and smoothness over a minute", { timeout: (SECONDS + 90) * 1_000 }, async () => {
  const node = await startNode({ links: 100 });
  const page = await openPage(node);
  await page.click('[data-range="60"]');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const measure = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    const { metrics } = await devtools.send("Performance.getMetrics");
    const of = (name) => metrics.find((one) => one.name === name).value;
    return {
      heap: of("JSHeapUsedSize"),
      nodes: of("Nodes"),
      listeners: of("JSEventListeners"),
      cpu: of("ThreadTime"),
    };
  };
  await page.evaluate(() => {
    globalThis.frames = [];
    let last = performance.now();
    const tick = (now) => {
      globalThis.frames.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await wait(WARM_UP_SECONDS);
  const before = await measure();
  await page.evaluate(() => (globalThis.frames.length = 0));
  await wait(SECONDS);
  const frames = await page.evaluate(() => globalThis.frames.splice(0).sort((a, b) => a - b));
  const after = await measure();
  const at = (part) => Math.round(frames[Math.floor((frames.length - 1) * part)]);
  const cpu = ((after.cpu - before.cpu) / SECONDS) * 100;
  console.log(
    `browser: ${SECONDS} s at 10 Hz with 100 links: heap ${(before.heap / 1e6).toFixed(2)} to ` +
      `${(after.heap / 1e6).toFixed(2)} MB, ${before.nodes} to ${after.nodes} nodes, ` +
      `main thread ${cpu.toFixed(0)} % of a processor, ` +
      `frames p50 ${at(0.5)} p99 ${at(0.99)} most ${at(1)} ms`,
  );
  assert.ok(
    after.heap - before.heap < MOST_GROWTH_BYTES,
    `the heap grew by ${after.heap - before.heap} bytes`,
  );
  assert.ok(after.nodes <= before.nodes * 1.1 + 200, `${before.nodes} nodes became ${after.nodes}`);
  assert.ok(
    after.listeners <= before.listeners + 20,
    `${before.listeners} listeners became ${after.listeners}`,
  );
  assert.ok(cpu < MOST_CPU_PERCENT, `${cpu.toFixed(0)} % of a processor`);
  // A stutter is an update that is late for the next one. A machine with more to do than it has
  // processors for makes any page late.
  if (loadavg()[0] < cpus().length) {
    assert.ok(at(0.95) < 100, `a frame in twenty took ${at(0.95)} ms`);
  }
  assert.deepEqual(page.faults, []);
});
