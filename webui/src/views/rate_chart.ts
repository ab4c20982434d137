// SPDX-License-Identifier: Apache-2.0
// One chart of data rates: uPlot on a canvas, with its values as text beside it.
import uPlot from "uplot";
import { clock } from "../format/time";
import { bitRate, prefixFor } from "../format/units";
import type { Columns } from "../model/rate_history";
import { h, setAttribute, setText } from "../ui/dom";

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

const HEIGHT = 168;

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

  constructor(
    readonly title: string,
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

  show(data: Columns, from: number, to: number): void {
    const { plot } = this;
    if (!plot) return;
    this.data = data;
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
      height: HEIGHT,
      padding: [6, 18, 0, 0],
      legend: { show: false },
      cursor: {
        drag: { x: true, y: false, setScale: false },
        sync: { key: this.syncKey },
        points: { size: 5 },
        bind: { dblclick: () => null },
      },
      scales: {
        x: { time: true },
        y: { range: (_plot, _low, high) => [0, Math.max(1, (high || 0) * 1.1)] },
      },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), "UTC"),
      axes: [
        { ...axis, space: 58, size: 26, values: (_plot, splits) => splits.map(axisTime) },
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
      width: one.total ? 1.75 : 1.25,
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
    const width = this.plotArea.clientWidth;
    if (this.plot && width > 0 && Math.abs(this.plot.width - width) > 1)
      this.plot.setSize({ width, height: HEIGHT });
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
    setText(
      this.readout,
      `${this.cursorAt === null ? "now" : clock(at * 1000)}  ${values.join("   ")}`,
    );
    if (this.cursorAt === null) {
      // Not for every update: a name that changes ten times a second is noise to a screen reader.
      setAttribute(
        this.canvas,
        "aria-label",
        `Chart of data rates ${this.title.toLowerCase()}, by time. ` +
          "Plus and minus zoom, arrows move, 0 resets; the table of links has the figures.",
      );
    }
  }
}

const axisTime = (seconds: number): string => {
  const text = clock(seconds * 1000);
  return text.endsWith(":00") ? text.slice(0, 5) : text;
};

const axisRate =
  (splits: number[]) =>
  (value: number): string => {
    const { factor, prefix } = prefixFor(splits.at(-1) ?? 0);
    return value === 0 ? "0" : `${Number((value / factor).toPrecision(3))} ${prefix}bit/s`;
  };
