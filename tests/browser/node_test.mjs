// SPDX-License-Identifier: Apache-2.0
// The page of a real node with traffic: the tests that need no mock, and the page against the sink.
// FARLINK_BIN is the folder of the programs.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { hasPrograms, startRealNode } from "./support/real_node.mjs";

const bin = process.env.FARLINK_BIN ?? "";
if (!hasPrograms(bin)) {
  console.log(`skipped: farlink, bpgen and bpsink are not all in "${bin}"`);
  process.exit(77);
}
const node = await startRealNode({ bin, page: process.env.FARLINK_WEBUI });
after(() => node.close());
process.env.FARLINK_BASE_URL = node.url;
process.env.FARLINK_OPERATE_TOKEN = node.operate;
process.env.FARLINK_READ_TOKEN = node.read;
const { apiGet, bits, cell, eventually, number, openPage, text } =
  await import("./support/harness.mjs");

test("bundles out are those that the sink has", async () => {
  const page = await openPage(node);
  const { links } = await apiGet(node, "state");
  const key = Object.keys(links).find((one) => links[one].neighbour === 2);
  await eventually(
    page,
    "bundles out",
    async () => {
      const before = node.received();
      // Both are up to a second old.
      await new Promise((done) => setTimeout(done, 1_500));
      const shown = number(await text(page, cell(page, key, "outBundles")));
      await new Promise((done) => setTimeout(done, 2_500));
      // The sink tells once a second what it has.
      const later = node.received();
      return [before > 0 && shown >= before && shown <= later, { before, shown, later }];
    },
    30_000,
  );
  const rate = bits(await text(page, '[data-figure="in"]'));
  assert.ok(rate > 10e6 && rate < 30e6, `500 bundles of 5 kB a second are 20 Mbit/s, not ${rate}`);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

// The others are a part of `./farlink-dev verify`: they have been run against the mock.
const others = process.env.FARLINK_WHOLE ? ["charts", "operator", "access", "screenshots"] : [];
for (const name of ["figures", "commands", ...others]) {
  await import(`./${name}_test.mjs`);
}
