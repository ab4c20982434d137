// SPDX-License-Identifier: Apache-2.0
// One chart of data rates: uPlot on a canvas, with its values as text beside it.
import uPlot from "uplot";
import { clock, day, localClock } from "../../format/time";
import { bitRate, prefixFor } from "../../format/units";
import type { Columns } from "../../model/rate_history";
import { h, setAttribute, setText } from "../../ui/dom";

export interface Series {
  name: string;
  label: string;
  colour: string;
  total: boolean;
}

export interface ChartHandlers {
  zoomed(from: number, to: number): void;
  reset(): void;
}

/** A value that is older is not of now: one of a longer time from disk. */
const NOW_SECONDS = 30;
/** The style sheet says how high the part with the plot is; this is for a page without one. */
const FIRST_HEIGHT = 200;
/** From one label to the next, at least. */
const LABEL_SPACE = 62;
/** Seconds between labels. */
const STEPS = [
  1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
  172_800,
];
/** Half the width of a label, so that the last one is whole. */
const LABEL_ROOM = 30;

const style = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class RateChart {
  readonly element: HTMLElement;
  private readonly plotArea = h("div", { class: "plot" });
  private readonly readout = h("p", { class: "readout" });
  private readonly canvas: HTMLElement;
  private plot: uPlot | undefined;
  private series: Series[] = [];
  private data: Columns = [[]];
  private cursorAt: number | null = null;
  private top = 0;
  private end = 0;

  constructor(
    readonly title: string,
    readonly named: string,
    private readonly syncKey: string,
    private readonly handlers: ChartHandlers,
  ) {
    this.canvas = h("div", { class: "chart", role: "img", tabindex: "0" }, this.plotArea);
    this.element = h("div", { class: "chart-box" }, h("h3", {}, title), this.readout, this.canvas);
    new ResizeObserver(() => this.resize()).observe(this.plotArea);
  }

  onKey(listener: (event: KeyboardEvent) => void): void {
    this.canvas.addEventListener("keydown", listener);
  }

  /** Makes a new plot, for other series or another theme. */
  rebuild(series: Series[]): void {
    this.plot?.destroy();
    this.series = series;
    this.cursorAt = null;
    const options = this.options();
    this.plot = new uPlot(
      options,
      [[], ...series.map(() => [])] as uPlot.AlignedData,
      this.plotArea,
    );
    this.plot.over.addEventListener("dblclick", () => this.handlers.reset());
  }

  /** `top`: the largest value of all charts that share a scale. */
  show(data: Columns, from: number, to: number, top: number): void {
    const { plot } = this;
    if (!plot) return;
    this.data = data;
    this.end = to;
    this.top = top;
    plot.batch(() => {
      plot.setData(data as uPlot.AlignedData, false);
      plot.setScale("x", { min: from, max: to });
    });
    this.tell();
  }

  private options(): uPlot.Options {
    const grid = { stroke: style("--grid"), width: 1 };
    const axis = {
      stroke: style("--quiet"),
      grid,
      ticks: { ...grid, size: 4 },
      font: style("--chart-font"),
    };
    return {
      width: Math.max(200, this.plotArea.clientWidth),
      height: this.plotArea.clientHeight || FIRST_HEIGHT,
      padding: [8, LABEL_ROOM, 0, 0],
      legend: { show: false },
      cursor: {
        drag: { x: true, y: false, setScale: false },
        sync: { key: this.syncKey },
        points: { size: 5 },
        bind: { dblclick: () => null },
      },
      scales: {
        x: { time: true },
        y: { range: () => [0, Math.max(1, this.top * 1.1)] },
      },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), "UTC"),
      axes: [
        {
          ...axis,
          space: LABEL_SPACE,
          incrs: STEPS,
          size: 28,
          values: (_plot, splits) => splits.map(axisTime(splits)),
        },
        { ...axis, space: 34, size: 76, values: (_plot, splits) => splits.map(axisRate(splits)) },
      ],
      series: [{}, ...this.series.map((one) => this.seriesOptions(one))],
      hooks: {
        setSelect: [(plot) => this.select(plot)],
        setCursor: [
          (plot) => {
            this.cursorAt = plot.cursor.idx ?? null;
            this.tell();
          },
        ],
      },
    };
  }

  private seriesOptions(one: Series): uPlot.Series {
    return {
      label: one.label,
      stroke: style(one.colour),
      // A link that carries everything lies on the total: the line below is wider and stays in
      // sight.
      width: one.total && this.series.length > 1 ? 3.5 : 1.5,
      points: { show: false },
      ...(one.total ? { fill: style("--chart-fill") } : {}),
    };
  }

  private select(plot: uPlot): void {
    if (plot.select.width < 4) return;
    const from = plot.posToVal(plot.select.left, "x");
    const to = plot.posToVal(plot.select.left + plot.select.width, "x");
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.handlers.zoomed(from, to);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.plotArea;
    if (!this.plot || width === 0 || height === 0) return;
    if (Math.abs(this.plot.width - width) > 1 || this.plot.height !== height)
      this.plot.setSize({ width, height });
  }

  /** The values under the cursor, or the newest ones. */
  private tell(): void {
    const times = this.data[0];
    const place = this.cursorAt ?? times.length - 1;
    const at = times[place];
    if (at === undefined) {
      setText(this.readout, "no data yet");
      return;
    }
    const values = this.series.map(
      (one, column) => `${one.label}: ${bitRate(this.data[column + 1]?.[place])}`,
    );
    const now = this.cursorAt === null && this.end - at < NOW_SECONDS;
    setText(this.readout, `${now ? "now" : `${clock(at * 1000)} UTC`}  ${values.join("   ")}`);
    setAttribute(
      this.readout,
      "title",
      this.cursorAt === null ? null : `local: ${localClock(at * 1000)}`,
    );
    if (this.cursorAt === null) {
      // Not for every update: a name that changes ten times a second is noise to a screen reader.
      setAttribute(
        this.canvas,
        "aria-label",
        `Chart of data rates ${this.named}, by time in UTC. ` +
          "Plus and minus zoom, arrows move, 0 resets; the table of links has the figures.",
      );
    }
  }
}

/** The time of day; the date where ticks lie days apart, and at midnight. */
const axisTime =
  (splits: number[]) =>
  (seconds: number): string => {
    const ms = seconds * 1000;
    const apart = (splits[1] ?? seconds) - (splits[0] ?? seconds);
    if (apart >= 86_400 || (seconds % 86_400 === 0 && apart >= 600)) return day(ms).slice(5);
    const text = clock(ms);
    return text.endsWith(":00") ? text.slice(0, 5) : text;
  };

const axisRate =
  (splits: number[]) =>
  (value: number): string => {
    const { factor, prefix } = prefixFor(splits.at(-1) ?? 0);
    return value === 0 ? "0" : `${Number((value / factor).toPrecision(3))} ${prefix}bit/s`;
  };
