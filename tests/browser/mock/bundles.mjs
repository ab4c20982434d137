// SPDX-License-Identifier: Apache-2.0
// The bundles that the mock node has in storage: as many for each destination as a page or two.
import { Refusal } from "./refusal.mjs";

const EACH = 150;
const FIRST = 9_007_199_254_740_993n;
const STATES = ["waiting", "waiting", "waiting", "leaving", "inCustody", "refused"];

function bundlesOf(world) {
  const all = [];
  for (const [turn, node] of ["40", "80", "110"].entries()) {
    for (let place = 0; place < EACH; place += 1) {
      const bundle = String(FIRST + BigInt(turn * EACH + place));
      if (world.deleted.has(bundle)) continue;
      const state = STATES[place % STATES.length];
      all.push({
        bundle,
        state,
        destination: `ipn:${node}.${1 + (place % 2)}`,
        source: `ipn:${10 * (1 + (place % 5))}.1`,
        priority: ["bulk", "normal", "expedited"][place % 3],
        custody: state === "inCustody",
        bytes: 1_000 * (1 + (place % 60)),
        created: new Date(world.startMs - place * 60_000).toISOString(),
        sequence: place,
        expires: new Date(world.startMs + 3_600_000 + place * 60_000).toISOString(),
        disk: `store${place % 3}`,
      });
    }
  }
  return all;
}

const matches = (destination) => (one) =>
  !destination ||
  (destination.endsWith(".*")
    ? one.destination.startsWith(destination.slice(0, -1))
    : one.destination === destination);

export function listBundles(world, query) {
  const limit = Number(query.get("limit") ?? 100);
  const after = BigInt(query.get("after") ?? 0);
  const found = bundlesOf(world)
    .filter(matches(query.get("destination")))
    .filter((one) => BigInt(one.bundle) > after);
  const bundles = found.slice(0, limit);
  const more = found.length > limit;
  return { bundles, more, ...(more ? { next: bundles.at(-1).bundle } : {}) };
}

export function deleteBundle(world, bundle, query) {
  const found = bundlesOf(world).find((one) => one.bundle === bundle);
  if (!found) throw new Refusal(404, "Not Found", `bundle ${bundle} has gone`);
  if (found.custody && query.get("force") !== "true")
    throw new Refusal(409, "Conflict", "this node is its custodian; force deletes it all the same");
  world.deleted.add(bundle);
  return { deleted: 1, deletedBytes: found.bytes, kept: 0, keptInCustody: 0, more: false };
}

export function deleteBundles(world, query) {
  const answer = { deleted: 0, deletedBytes: 0, kept: 0, keptInCustody: 0, more: false };
  for (const one of bundlesOf(world).filter(matches(query.get("destination")))) {
    if (one.custody && query.get("force") !== "true") {
      answer.keptInCustody += 1;
      continue;
    }
    world.deleted.add(one.bundle);
    answer.deleted += 1;
    answer.deletedBytes += one.bytes;
  }
  return answer;
}
