// SPDX-License-Identifier: Apache-2.0
// The panel of data rates: two charts on one time line, in and out, total and by link.
import { sendsOut, takesIn } from "../model/link_state";
import type { Columns } from "../model/rate_history";
import { button, byId, h, setAttribute, setText } from "../ui/dom";
import type { Context } from "./context";
import { RateChart, type Series } from "./rate_chart";
import { SeriesChoice } from "./series_choice";
import { TimeWindow } from "./time_window";

const RANGES: [string, number][] = [
  ["1 min", 60],
  ["5 min", 300],
  ["15 min", 900],
  ["1 h", 3600],
];
// Up to this length of the time window, tenths of a second are visible.
const FINE_SECONDS = 120;

export class RatesView {
  private readonly window = new TimeWindow();
  private readonly choice = new SeriesChoice(() => this.rebuild());
  private readonly charts: { end: "in" | "out"; chart: RateChart; columns: Columns }[];
  private readonly pause = button("Pause", () => this.togglePause(), {
    "aria-pressed": "false",
    id: "rates-pause",
  });
  private readonly reset = button("Reset zoom", () => this.resetZoom(), { id: "rates-reset" });
  private readonly ranges: HTMLButtonElement[];
  private readonly note = h("span", { class: "quiet", id: "rates-note" });
  private drawn = 0;

  constructor(private readonly context: Context) {
    const handlers = {
      zoomed: (from: number, to: number) =>
        this.change(() => this.window.zoomTo(from, to, this.now())),
      reset: () => this.resetZoom(),
    };
    this.charts = (["in", "out"] as const).map((end) => ({
      end,
      columns: [[]],
      chart: new RateChart(end === "in" ? "In" : "Out", "rates", handlers),
    }));
    this.ranges = RANGES.map(([label, seconds]) =>
      button(label, () => this.change(() => this.window.follow(seconds)), {
        "data-range": seconds,
      }),
    );
    const zoom = (label: string, sign: string, factor: number) =>
      button(sign, () => this.change(() => this.window.scale(factor, this.now())), {
        "aria-label": label,
      });
    const panel = byId("rates");
    panel.append(
      h(
        "div",
        { class: "tools", role: "group", "aria-label": "Time shown" },
        h("span", { class: "segmented" }, ...this.ranges),
        zoom("Zoom in", "+", 0.5),
        zoom("Zoom out", "−", 2),
        this.reset,
        this.pause,
        this.note,
      ),
      h("div", { class: "charts" }, ...this.charts.map(({ chart }) => chart.element)),
      this.choice.element,
    );
    for (const { chart } of this.charts) chart.onKey((event) => this.key(event));
    this.rebuild();
    context.theme.onChange(() => this.rebuild());
    context.painter.add(panel, 100, (now) => this.paint(now));
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

  private togglePause(): void {
    this.change(() => this.window.setPaused(!this.window.paused, this.now()));
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
    this.change(act);
  }

  private series(end: "in" | "out"): Series[] {
    const links = this.context.store.state.links ?? {};
    const total: Series = { name: end, label: "total", colour: "--line-total", total: true };
    const fits = end === "in" ? takesIn : sendsOut;
    const each = this.choice.chosen
      .filter(({ key }) => fits(links[key] ?? {}))
      .map(({ key, slot }) => ({
        name: `link.${key}.${end}`,
        label: links[key]?.name ?? key,
        colour: `--line-${slot}`,
        total: false,
      }));
    return [total, ...each];
  }

  private rebuild(): void {
    for (const one of this.charts) one.chart.rebuild(this.series(one.end));
    this.draw();
  }

  private paint(now: number): void {
    const { store } = this.context;
    this.choice.update(
      store.state.links ?? {},
      (key) => (store.bitRate(`link.${key}.in`) ?? 0) + (store.bitRate(`link.${key}.out`) ?? 0),
    );
    // An unchanged chart is not drawn again; a chart of an hour moves by a pixel only in seconds.
    const moves = !this.window.paused && !this.window.zoomed;
    const everyMs = Math.min(1_000, this.window.length / 3);
    if (this.drawn && (!moves || now - this.drawn < everyMs - 50)) return;
    this.draw();
  }

  private draw(): void {
    this.drawn = performance.now();
    const now = this.now();
    const { from, to } = this.window.at(now);
    for (const one of this.charts) {
      const names = this.series(one.end).map((series) => series.name);
      const fine = to - from <= FINE_SECONDS;
      one.columns = this.context.store.history.columns(names, from, to, fine, one.columns);
      one.chart.show(one.columns, from, to);
    }
    this.showTools();
  }

  private showTools(): void {
    this.ranges.forEach((range, place) =>
      setAttribute(
        range,
        "aria-pressed",
        String(!this.window.zoomed && this.window.length === RANGES[place]![1]),
      ),
    );
    setAttribute(this.pause, "aria-pressed", String(this.window.paused));
    setText(this.pause, this.window.paused ? "Resume" : "Pause");
    this.reset.disabled = !this.window.zoomed;
    setText(
      this.note,
      this.window.zoomed ? "zoomed: the charts stand still" : this.window.paused ? "paused" : "",
    );
  }
}
