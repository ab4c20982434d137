// SPDX-License-Identifier: Apache-2.0
// What waits in storage and what is held there, as rows by destination.
import { describe, expect, it } from "vitest";
import type { State } from "../src/api/types";
import { waitingFor, waitingNodes } from "../src/model/waiting";

const rows = (state: State) =>
  waitingNodes(state)
    .map((node) => waitingFor(state, node))
    .map(({ node, held, bundles }) => [node, held, bundles]);

describe("destinations in storage", () => {
  const pending = {
    "40": { bundles: 2, bytes: 200 },
    "80": { bundles: 9, bytes: 900 },
    "9": { bundles: 0, bytes: 0 },
  };

  it("are named, and nothing is said of holds that are not known", () => {
    expect(rows({ pending })).toEqual([
      ["40", undefined, 2],
      ["80", undefined, 9],
    ]);
    expect(rows({})).toEqual([]);
  });

  it("are there once when held, also without anything that waits", () => {
    const held = { "100": true, "40": true, "9": true };
    expect(rows({ pending, storage: { held, destinations: 2 } })).toEqual([
      ["40", true, 2],
      ["80", false, 9],
      ["9", true, 0],
      ["100", true, 0],
    ]);
  });

  it("can be held by number only", () => {
    const names = { "dtn://seven/": { bundles: 1 }, "40": { bundles: 1 } };
    const storage = { held: {} };
    const holdable = ["dtn://seven/", "40"].map(
      (node) => waitingFor({ pending: names, storage }, node).holdable,
    );
    expect(holdable).toEqual([false, true]);
    expect(waitingFor({ pending: names }, "40").holdable).toBe(false);
  });

  it("have no count where the node names not all of them", () => {
    const storage = { held: { "30": true }, destinations: 5_000 };
    expect(rows({ pending, storage }).at(-1)).toEqual(["30", true, undefined]);
  });
});
