// SPDX-License-Identifier: Apache-2.0
// The endpoints of applications: their order, their states, and what is said of their module.
import { describe, expect, it } from "vitest";
import {
  applicationsNote,
  byEndpoint,
  endpointRank,
  endpointTally,
  endpointWord,
  hasApplications,
  isUnattended,
  messageText,
} from "../src/model/endpoints";

describe("endpoints of applications", () => {
  it("are in the order of their numbers, however large", () => {
    const largest = "ipn:10.18446744073709551615";
    const names = [largest, "ipn:10.5001", "ipn:10.42", "ipn:2.7", "ipn:10.9"];
    expect(names.sort(byEndpoint)).toEqual([
      "ipn:2.7",
      "ipn:10.9",
      "ipn:10.42",
      "ipn:10.5001",
      largest,
    ]);
    expect(byEndpoint("ipn:10.42", "ipn:10.42")).toBe(0);
  });

  it("receive, or have no receiver, or it is not known", () => {
    expect(endpointWord({ receivers: 2 })).toBe("receiving");
    expect(endpointWord({ receivers: 0, connections: 1 })).toBe("no receiver");
    expect(endpointWord({})).toBe("unknown");
  });

  it("are unattended where bundles wait and nobody receives", () => {
    expect(isUnattended({ receivers: 0, storedBundles: 3 })).toBe(true);
    expect(isUnattended({ receivers: 0, storedBundles: 0, waitingBundles: 1 })).toBe(true);
    expect(isUnattended({ receivers: 0, storedBundles: 0, waitingBundles: 0 })).toBe(false);
    expect(isUnattended({ receivers: 1, storedBundles: 3 })).toBe(false);
    expect(isUnattended({ storedBundles: 3 })).toBe(false);
  });

  it("come unattended first when they are sorted by state", () => {
    const all = [{ receivers: 1 }, { receivers: 0 }, { receivers: 0, storedBundles: 1 }, {}];
    expect(all.sort((a, b) => endpointRank(a) - endpointRank(b))).toEqual([
      { receivers: 0, storedBundles: 1 },
      {},
      { receivers: 0 },
      { receivers: 1 },
    ]);
  });

  it("are counted by state", () => {
    expect(endpointTally([])).toBe("");
    expect(endpointTally([{ receivers: 1 }, { receivers: 0 }, { receivers: 3 }])).toBe(
      "2 receiving, 1 no receiver",
    );
  });
});

describe("the module of applications", () => {
  const modules = (state: string) => ({ modules: { storage: {}, applications: { state } } });

  it("is there or not", () => {
    expect(hasApplications(modules("ready"))).toBe(true);
    expect(hasApplications({ modules: { storage: { state: "ready" } } })).toBe(false);
    expect(hasApplications({})).toBe(false);
  });

  it("is named while it does not run", () => {
    expect(applicationsNote(modules("ready"))).toBe("");
    expect(applicationsNote(modules("silent"))).toBe("");
    expect(applicationsNote({})).toBe("");
    expect(applicationsNote(modules("lost"))).toBe(
      "The module of applications is lost: no application is connected.",
    );
  });
});

describe("a payload", () => {
  it("is shown as text, or in hex", () => {
    expect(messageText(new TextEncoder().encode("grüße"))).toBe("grüße");
    expect(messageText(new Uint8Array([0xff, 0x00]))).toBe("ff 00");
    expect(messageText(new Uint8Array())).toBe("");
  });

  it("is cut when it is long, also within a letter", () => {
    const text = messageText(new TextEncoder().encode("x" + "ü".repeat(1_500)));
    expect(text.endsWith(" … (3001 octets)")).toBe(true);
    expect(text.startsWith("xü")).toBe(true);
  });
});
