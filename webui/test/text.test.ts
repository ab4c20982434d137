// SPDX-License-Identifier: Apache-2.0
// What the page says in words: refusals, plan changes, states of links, plan files.
import { describe, expect, it } from "vitest";
import { Backoff } from "../src/api/backoff";
import { ApiError, failureLines } from "../src/api/problem";
import { EventLog } from "../src/model/event_log";
import { oldFigures } from "../src/model/figure_age";
import { claimOf, linkWord } from "../src/model/link_state";
import { changeLines } from "../src/model/plan_change";
import { readPlan } from "../src/model/plan_file";

describe("refusals", () => {
  it("say what to change", () => {
    const error = new ApiError(422, {
      title: "Unprocessable",
      detail: "the plan is not valid",
      errors: [
        {
          path: "contacts[3].endTime",
          problem: "found 5",
          expected: "more than 9",
          hint: "times are seconds",
        },
      ],
    });
    expect(failureLines(error)).toEqual([
      "the plan is not valid",
      "contacts[3].endTime: found 5; expected more than 9; times are seconds",
    ]);
  });

  it("advise on tokens", () => {
    expect(failureLines(new ApiError(401, { detail: "unknown token" }))[1]).toMatch(/valid token/);
    expect(failureLines(new ApiError(403, {}))).toHaveLength(2);
  });

  it("of a node that is gone", () => {
    expect(failureLines(new TypeError("Failed to fetch"))[0]).toBe("No reply from the node.");
  });
});

describe("plan changes", () => {
  it("are counted, with links and routes", () => {
    expect(
      changeLines({
        contacts: 14,
        added: 3,
        changed: 1,
        removed: 2,
        links: [
          {
            link: 2,
            neighbour: 30,
            before: { planned: false, nextContact: "2026-11-22T05:10:00Z" },
            after: { planned: true, ends: "2026-11-22T06:00:00Z", rateBitsPerSec: 1e6 },
          },
        ],
        routes: [
          { destination: 40, before: [], after: { candidates: [{ nextHop: 20, link: 1 }] } },
        ],
      }),
    ).toEqual([
      "14 contacts; 3 added, 1 changed, 2 removed",
      "Link 2 to node 30: closed, next 2026-11-22 05:10:00 → " +
        "open until 2026-11-22 06:00:00 at 1.00\u202fMbit/s",
      "Routes to node 40: none → 20 by link 1",
    ]);
  });

  it("that change nothing say so, and long ones are cut", () => {
    expect(changeLines({ nothingChanges: true })).toHaveLength(1);
    const links = Array.from({ length: 40 }, (_one, link) => ({
      link,
      neighbour: 2,
      before: null,
      after: null,
    }));
    expect(changeLines({ links }).at(-1)).toBe("and 28 further links");
    expect(changeLines({ warnings: ["no outduct leads to node 9"] }).at(-1)).toBe(
      "Warning: no outduct leads to node 9",
    );
  });
});

describe("plan files", () => {
  it("are objects with contacts, or lists", () => {
    expect(readPlan('\ufeff{"contacts":[{"contact":1}]}')).toEqual([{ contact: 1 }]);
    expect(readPlan("[]")).toEqual([]);
  });

  it.each(["", "neither JSON nor ION", "{}", "5", "null", '{"contacts":{}}'])(
    "and not %j",
    (text) => {
      expect(() => readPlan(text)).toThrow();
    },
  );
});

describe("states of links", () => {
  it("have the claim of a peer that nothing proves", () => {
    expect(claimOf({ claimedNode: 7 })).toBe("claims to be node 7");
    expect(claimOf({ claimedName: "dtn://seven/" })).toBe("claims to be dtn://seven/");
    expect(claimOf({ neighbour: 7 })).toBeUndefined();
  });

  it.each([
    [{ up: true, enabled: true, planned: true, connected: true }, "up"],
    [{ up: false, enabled: true, planned: true, connected: false }, "not connected"],
    [{ up: false, enabled: true, planned: false, connected: true }, "no contact"],
    [{ up: false, enabled: false, planned: false, connected: true }, "down by operator"],
    [{ up: false, connected: true, proved: false }, "not proved"],
    [{}, "unknown"],
  ])("%j is %s", (link, word) => expect(linkWord(link)).toBe(word));
});

describe("waits before connecting again", () => {
  it("double up to a limit, with jitter, and begin anew", () => {
    const backoff = new Backoff(500, 4_000, () => 1);
    expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([500, 1_000, 2_000, 4_000, 4_000]);
    backoff.reset();
    expect(backoff.next()).toBe(500);
    expect(new Backoff(500, 4_000, () => 0).next()).toBe(375);
  });
});

describe("figures of a module that hangs", () => {
  const modules = {
    egress: { state: "silent", reportAgeSeconds: 75 },
    egress2: { state: "ready", reportAgeSeconds: 4 },
    storage: { state: "ready" },
  };

  it("have their age", () => {
    expect(oldFigures({ modules }, ["storage"])).toBe("");
    expect(oldFigures({}, ["storage"])).toBe("");
    expect(oldFigures({ modules: { egress: modules.egress } }, ["ingress", "egress"])).toBe(
      "The figures of egress are 1 min 15 s old: it does not report.",
    );
    expect(oldFigures({ modules }, ["egress"])).toMatch(
      /^The figures of egress are .* old, of egress2 are 4 s old: they do not report\.$/,
    );
  });
});

describe("the event log", () => {
  it("keeps the last of each kind however often a link flaps", () => {
    const log = new EventLog();
    const event = (id: number, kind: string) =>
      ({ id, kind, time: "", level: "info", text: "" }) as const;
    const plans = Array.from({ length: 30 }, (_, id) => event(id, "plan-changed"));
    log.add(plans);
    log.add(Array.from({ length: 3_000 }, (_, k) => event(100 + k, "link-down")));
    expect(log.events).toHaveLength(1_000);
    expect(log.events[0]!.id).toBe(10);
    expect(log.events[19]!.kind).toBe("plan-changed");
    expect(log.events.at(-1)!.id).toBe(3_099);
  });
});
