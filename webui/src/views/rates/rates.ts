// SPDX-License-Identifier: Apache-2.0
// The panel of data rates: in and out, total and by link.
import { linkSeries } from "../../model/link_names";
import { sendsOut, takesIn } from "../../model/link_state";
import { byId } from "../../ui/dom";
import type { Context } from "../context";
import { ChartPair, type End } from "./chart_pair";
import type { Series } from "./rate_chart";
import { SeriesChoice } from "./series_choice";

export class RatesView {
  private readonly choice = new SeriesChoice(() => this.pair.rebuild());
  private readonly pair: ChartPair;

  constructor(private readonly context: Context) {
    this.pair = new ChartPair(context, "rates", (end) => this.series(end));
    const panel = byId("rates");
    panel.append(this.pair.tools, this.pair.charts, this.choice.element);
    this.pair.rebuild();
    context.painter.add(panel, 100, (now) => this.paint(now));
  }

  private series(end: End): Series[] {
    const links = this.context.store.state.links ?? {};
    const total: Series = { name: end, label: "total", colour: "--line-total", total: true };
    const fits = end === "in" ? takesIn : sendsOut;
    const each = this.choice.chosen
      .filter(({ key }) => fits(links[key] ?? {}))
      .map(({ key, slot }) => ({
        name: linkSeries(key)[end],
        label: links[key]?.name ?? key,
        colour: `--line-${slot}`,
        total: false,
      }));
    return [total, ...each];
  }

  private paint(now: number): void {
    const { store } = this.context;
    const rate = (key: string): number => {
      const names = linkSeries(key);
      return (store.bitRate(names.in) ?? 0) + (store.bitRate(names.out) ?? 0);
    };
    this.choice.update(store.state.links ?? {}, rate, now);
    this.pair.paint(now);
  }
}
