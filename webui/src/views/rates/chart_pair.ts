// SPDX-License-Identifier: Apache-2.0
// Two charts on one time line and one scale, in and out, with what sets the time shown: ranges,
// zoom, keys. Over an hour the rates are those of the page, beyond it those that the node has on
// disk.
import { LongRates } from "../../model/long_rates";
import type { Columns } from "../../model/rate_history";
import { isoTime } from "../../format/time";
import { button, h, setAttribute, setText } from "../../ui/dom";
import type { Context } from "../context";
import { largest } from "./largest";
import { RateChart, type Series } from "./rate_chart";
import { HOUR_SECONDS, TimeWindow } from "./time_window";

export type End = "in" | "out";

const RANGES: [string, number][] = [
  ["1 min", 60],
  ["5 min", 300],
  ["15 min", 900],
  ["1 h", HOUR_SECONDS],
];
const LONG_RANGES: [string, number][] = [
  ["6 h", 6 * HOUR_SECONDS],
  ["1 d", 24 * HOUR_SECONDS],
  ["1 w", 168 * HOUR_SECONDS],
];
const WEEK_SECONDS = 168 * HOUR_SECONDS;
// Up to this length of the time window, tenths of a second are visible.
const FINE_SECONDS = 120;

interface Shown {
  end: End;
  chart: RateChart;
  columns: Columns;
  /** Lists that are filled again with each drawing. */
  own: Columns;
  series: Series[];
}

export class ChartPair {
  readonly tools: HTMLElement;
  readonly charts: HTMLElement;
  private readonly window = new TimeWindow();
  private readonly shown: Shown[];
  private readonly ranges: [HTMLButtonElement, number][];
  private readonly reset: HTMLButtonElement;
  private readonly note: HTMLElement;
  private readonly long: LongRates;
  private probed = false;
  private drawn = 0;

  /** `name` keeps the ids of several pairs apart; `series` says which lines a chart has. */
  constructor(
    private readonly context: Context,
    name: string,
    private readonly series: (end: End) => Series[],
  ) {
    const handlers = {
      zoomed: (from: number, to: number) =>
        this.change(() => this.window.zoomTo(from, to, this.now())),
      reset: () => this.resetZoom(),
    };
    const chart = (end: End): Shown => ({
      end,
      columns: [[]],
      own: [[]],
      series: [],
      chart: new RateChart(end === "in" ? "In" : "Out", end, name, handlers),
    });
    this.shown = [chart("in"), chart("out")];
    this.ranges = [...RANGES, ...LONG_RANGES].map(([label, seconds]) => {
      const control = button(label, () => this.change(() => this.window.follow(seconds)), {
        "data-range": seconds,
      });
      control.hidden = seconds > HOUR_SECONDS;
      return [control, seconds];
    });
    this.reset = button("Reset zoom", () => this.resetZoom(), { id: `${name}-reset` });
    this.note = h("span", { class: "quiet", id: `${name}-note` });
    this.tools = this.makeTools();
    this.charts = h("div", { class: "charts" }, ...this.shown.map((one) => one.chart.element));
    for (const one of this.shown) one.chart.onKey((event) => this.key(event));
    this.long = new LongRates(
      (from, to, step, names) =>
        context.rest.longHistory(isoTime(from * 1000), isoTime(to * 1000), step, names),
      () => this.draw(),
    );
    context.theme.onChange(() => this.rebuild());
  }

  /** Other lines, or another theme. */
  rebuild(): void {
    for (const one of this.shown) {
      one.series = this.series(one.end);
      one.chart.rebuild(one.series);
    }
    this.context.details.keep(this.shown.flatMap((one) => one.series.map(({ name }) => name)));
    this.draw();
  }

  paint(now: number): void {
    if (!this.probed && this.context.store.state.node) void this.probe();
    // An unchanged chart is not drawn again; a chart of an hour moves by a pixel only in seconds.
    const everyMs = Math.min(1_000, this.window.length / 3);
    if (this.drawn && (this.window.zoomed || now - this.drawn < everyMs - 50)) return;
    this.draw();
  }

  private makeTools(): HTMLElement {
    const zoom = (label: string, sign: string, factor: number) =>
      button(sign, () => this.change(() => this.window.scale(factor, this.now())), {
        "aria-label": label,
      });
    return h(
      "div",
      { class: "tools", role: "group", "aria-label": "Time shown" },
      h("span", { class: "segmented" }, ...this.ranges.map(([control]) => control)),
      zoom("Zoom in", "+", 0.5),
      zoom("Zoom out", "−", 2),
      this.reset,
      this.note,
    );
  }

  // A node that keeps rates on disk offers more than an hour.
  private async probe(): Promise<void> {
    this.probed = true;
    const now = this.now();
    const at = (seconds: number): string => isoTime(Math.floor(seconds) * 1000);
    try {
      const { rest } = this.context;
      const answer = await rest.longHistory(at(now - 2 * HOUR_SECONDS), at(now), 3_600, ["in"]);
      if (typeof answer.step !== "number" || typeof answer.from !== "string") return;
    } catch {
      return;
    }
    this.window.setMost(WEEK_SECONDS);
    for (const [control] of this.ranges) control.hidden = false;
  }

  private now(): number {
    const newest = this.context.store.history.newestSeconds;
    return newest > 0 ? newest : this.context.store.now() / 1000;
  }

  private change(how: () => void): void {
    how();
    this.draw();
  }

  private resetZoom(): void {
    this.change(() => this.window.reset());
  }

  private key(event: KeyboardEvent): void {
    const acts: Record<string, () => void> = {
      "+": () => this.window.scale(0.5, this.now()),
      "-": () => this.window.scale(2, this.now()),
      ArrowLeft: () => this.window.shift(-0.25, this.now()),
      ArrowRight: () => this.window.shift(0.25, this.now()),
      "0": () => this.window.reset(),
      Escape: () => this.window.reset(),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.change(act);
  }

  private draw(): void {
    this.drawn = performance.now();
    const now = this.now();
    const { from, to } = this.window.at(now);
    for (const one of this.shown) this.fetchColumns(one, from, to, now);
    const top = Math.max(...this.shown.map((one) => largest(one.columns, from, to)));
    for (const one of this.shown) one.chart.show(one.columns, from, to, top);
    this.showTools();
  }

  private fetchColumns(one: Shown, from: number, to: number, now: number): void {
    const names = one.series.map((series) => series.name);
    if (from < now - HOUR_SECONDS - 60) {
      const all = this.shown.flatMap((each) => each.series.map((series) => series.name));
      const columns = this.long.columns(all, from, to, now);
      one.columns = [columns[0], ...names.map((name) => columns[all.indexOf(name) + 1] ?? [])];
      return;
    }
    const fine = to - from <= FINE_SECONDS;
    one.columns = this.context.store.history.columns(names, from, to, fine, one.own);
  }

  private showTools(): void {
    for (const [control, seconds] of this.ranges)
      setAttribute(
        control,
        "aria-pressed",
        String(!this.window.zoomed && this.window.length === seconds),
      );
    this.reset.disabled = !this.window.zoomed;
    setText(this.note, this.window.zoomed ? "zoomed: the charts stand still" : "");
  }
}
