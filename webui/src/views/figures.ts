// SPDX-License-Identifier: Apache-2.0
// The strip of key figures at the top of the page.
import { bitRate, bundleRate, bytes, count, DASH, micros, percent } from "../format/units";
import { byId, h, setAttribute, setText } from "../ui/dom";
import type { Context } from "./context";
import { linkWord } from "../model/link_state";

interface Figure {
  name: string;
  title: string;
  value(): string;
  note(): string;
  state?(): string;
}

export function addFigures(context: Context): void {
  const { store } = context;
  const flow = () => store.state.flow ?? {};
  const perSecond = (name: string) => bundleRate(store.rates.perSecond(name));
  const links = () => Object.values(store.state.links ?? {});
  const notUp = () => links().filter((link) => linkWord(link) === "not connected").length;
  const lost = () => (flow().deletedBundles ?? 0) + (flow().expiredBundles ?? 0);
  const latency = () => store.state.latency?.cutThrough;

  const figures: Figure[] = [
    {
      name: "in",
      title: "In",
      value: () => bitRate(store.bitRate("in")),
      note: () => `${perSecond("receivedBundles")} bundles`,
    },
    {
      name: "out",
      title: "Out",
      value: () => bitRate(store.bitRate("out")),
      note: () => `${perSecond("forwardedBundles")} bundles`,
    },
    {
      name: "cut-through",
      title: "Cut through",
      // Of what was decided in the same second: bundles received then may be decided in the next.
      value: () => {
        const through = store.rates.perSecond("cutThroughBundles");
        const stored = store.rates.perSecond("storedBundles");
        return percent(through, through === undefined ? undefined : through + (stored ?? 0));
      },
      note: () =>
        store.latencyIsFresh
          ? `p50 ${micros(latency()?.p50Micros)}, p99 ${micros(latency()?.p99Micros)}`
          : "no bundles in the last minute",
    },
    {
      name: "links-up",
      title: "Links up",
      value: () =>
        store.state.links
          ? `${links().filter((link) => link.up).length} of ${links().length}`
          : DASH,
      note: () => (notUp() ? `${notUp()} not connected` : "none missing"),
      state: () => (notUp() ? "bad" : ""),
    },
    {
      name: "stored",
      title: "In storage",
      value: () => count(store.state.storage?.bundles),
      note: () => bytes(store.state.storage?.bytes),
    },
    {
      name: "custody",
      title: "In custody",
      value: () => count(store.state.storage?.custodyBundles),
      note: () => `${count(flow().inFlightBundles)} in flight`,
    },
    {
      name: "deleted",
      title: "Deleted",
      value: () => (store.state.flow ? count(lost()) : DASH),
      note: () =>
        `${count(flow().expiredBundles)} expired, ${count(flow().refusedBundles)} refused`,
      state: () => (store.rates.perSecond("deletedBundles") ? "warn" : ""),
    },
    {
      name: "process",
      title: "Processor",
      value: () => {
        const cpu = store.state.process?.cpuPercent;
        return cpu === undefined ? DASH : `${cpu.toFixed(0)}\u202f%`;
      },
      note: () => `${bytes(store.state.process?.residentBytes)} memory`,
    },
  ];

  const list = h("dl", { class: "figures" });
  const parts = figures.map((figure) => {
    const value = h("dd", { "data-figure": figure.name });
    const note = h("dd", { class: "quiet", "data-note": figure.name });
    const box = h("div", {}, h("dt", {}, figure.title), value, note);
    list.append(box);
    return { figure, value, note, box };
  });
  byId("figures").append(list);
  context.painter.add(list, 200, () => {
    for (const { figure, value, note, box } of parts) {
      setText(value, figure.value());
      setText(note, figure.note());
      setAttribute(box, "data-state", figure.state?.() || null);
    }
  });
}
