// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, it, vi } from "vitest";
import { Announcer } from "../src/ui/announcer";

function told(...texts: string[]): string {
  vi.useFakeTimers();
  const region = { textContent: "" } as HTMLElement;
  const announcer = new Announcer(region);
  for (const text of texts) announcer.say(text);
  vi.runAllTimers();
  return region.textContent ?? "";
}

describe("Announcer", () => {
  afterEach(() => vi.useRealTimers());

  it("tells what was gathered", () => {
    expect(told("link 1 is up", "link 2 is up")).toBe("link 1 is up. link 2 is up");
  });

  it("tells the newest of many", () => {
    expect(told("a", "b", "c", "d")).toBe("1 earlier change. b. c. d");
    expect(told("a", "b", "c", "d", "e")).toBe("2 earlier changes. c. d. e");
  });
});
