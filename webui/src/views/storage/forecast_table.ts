// SPDX-License-Identifier: Apache-2.0
// The forecast: by next hop, what the next contact carries of what waits, and when all of it will
// have left.
import { moment, span, until } from "../../format/time";
import { bytes, DASH, exactCount, percent } from "../../format/units";
import { forecast, type Forecast } from "../../model/forecast";
import { h } from "../../ui/dom";
import { Table, type Column } from "../../ui/table/table";
import type { Context } from "../context";

const EVERY_MS = 1_000;
const NOTE =
  "By the first route of each destination and the rates of the plan, without what still comes," +
  " and without policies.";

export class ForecastView {
  readonly parts: HTMLElement[];
  private readonly table: Table<Forecast>;
  private readonly box: HTMLElement;
  private painted = Number.NEGATIVE_INFINITY;

  constructor(private readonly context: Context) {
    this.table = new Table(
      {
        label: "Forecast by next hop",
        narrow: "cards",
        search: (one) => hop(one),
      },
      this.columns(),
      "Nothing waits.",
    );
    this.box = h(
      "div",
      { id: "forecast", class: "part" },
      h("h3", {}, "Forecast, by next hop"),
      this.table.element,
      h("p", { class: "quiet" }, NOTE),
    );
    this.parts = [this.box];
  }

  paint(now: number): void {
    if (now - this.painted < EVERY_MS) return;
    this.painted = now;
    const { store } = this.context;
    const rows = new Map(
      forecast(store.state, store.routes, store.contacts, store.now()).map((one) => [
        String(one.nextHop ?? "none"),
        one,
      ]),
    );
    this.box.hidden = rows.size === 0;
    this.table.update([...rows.keys()], (key) => rows.get(key)!);
  }

  private columns(): Column<Forecast>[] {
    const now = (): number => this.context.store.now();
    return [
      { name: "hop", title: "Next hop", head: true, sort: (one) => one.nextHop, text: hop },
      {
        name: "waits",
        title: "Waits",
        figure: true,
        sort: (one) => one.bytes,
        text: (one) => `${bytes(one.bytes)} · ${exactCount(one.bundles)}`,
      },
      {
        name: "next",
        title: "Next contact",
        sort: (one) => one.next?.from,
        at: (one) => one.next?.from,
        text: (one) => nextContact(one, now()),
      },
      {
        name: "carries",
        title: "It carries",
        figure: true,
        sort: (one) => one.next?.bytes,
        text: carries,
      },
      {
        name: "gone",
        title: "Backlog gone",
        sort: (one) => one.goneAt,
        at: (one) => one.goneAt,
        text: (one) => gone(one, now()),
      },
    ];
  }
}

const hop = (one: Forecast): string =>
  one.nextHop === undefined ? "no route" : `node ${one.nextHop}`;

const nextContact = ({ next, nextHop, unplanned }: Forecast, now: number): string => {
  if (nextHop === undefined) return DASH;
  if (unplanned) return "planned permanently";
  if (!next) return "none in the plan";
  return next.from <= now
    ? `open, ${span(next.to - now)} left`
    : `${until(next.from, now)}, for ${span(next.to - next.from)}`;
};

function carries(one: Forecast): string {
  const sent = one.bytes - one.heldBytes;
  if (!one.next) return DASH;
  return sent > 0 ? `${bytes(one.next.bytes)}, ${percent(one.next.bytes, sent)}` : "nothing waits";
}

function gone(one: Forecast, now: number): string {
  const held = one.heldBytes ? `; ${bytes(one.heldBytes)} held` : "";
  if (one.nextHop === undefined) return `never: no route${held}`;
  if (one.bytes === one.heldBytes) return `all is held`;
  if (one.unplanned) return `while a link to it is up${held}`;
  if (one.goneAt === undefined) return `not by this plan: ${bytes(one.leftBytes)} left${held}`;
  return `${until(one.goneAt, now)}, ${moment(one.goneAt, now)}${held}`;
}
