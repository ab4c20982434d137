// SPDX-License-Identifier: Apache-2.0
// The table of routes: candidates for each destination, best first, and rules besides the plan.
import type { RouteCandidate, RouteTable } from "../../api/types";
import { moment, parseTime } from "../../format/time";
import { bytes } from "../../format/units";
import { byId, h, setText } from "../../ui/dom";
import { Table } from "../../ui/table/table";
import type { Context } from "../context";
import { explainForm } from "./explain";

interface Row {
  what: string;
  destination?: number;
  rule: string;
  ways: RouteCandidate[];
}

export class RoutesView {
  private readonly table: Table<Row>;
  private readonly summary = h("p", { class: "quiet summary" });
  private shown: RouteTable | undefined;

  constructor(private readonly context: Context) {
    this.table = new Table<Row>(
      {
        label: "Routes",
        narrow: "stacked",
        search: (row) =>
          `${row.what} ${row.rule} ${row.ways.map((way) => `node ${way.nextHop ?? ""}`).join(" ")}`,
      },
      [
        {
          name: "destination",
          title: "To",
          head: true,
          sort: (row) => row.destination ?? row.what,
          text: (row) => row.what,
        },
        { name: "rule", title: "By", sort: (row) => row.rule, text: (row) => row.rule },
        {
          name: "best",
          title: "First route, arrival",
          sort: (row) => row.ways[0]?.nextHop,
          at: (row) => parseTime(row.ways[0]?.arrival),
          text: (row) => this.way(row.ways[0]),
        },
        {
          name: "others",
          title: "Further routes",
          text: (row) =>
            row.ways
              .slice(1)
              .map((way) => this.way(way))
              .join("; "),
        },
      ],
      "No routes: this node forwards no bundles.",
    );
    const panel = byId("routes");
    panel.append(this.summary, this.table.element, explainForm(context));
    context.painter.add(panel, 1_000, () => this.paint());
  }

  private paint(): void {
    const { store } = this.context;
    const table = store.routes;
    if (!table || table === this.shown) return;
    this.shown = table;
    const rows = rowsOf(table);
    const byKey = new Map(rows.map((row) => [`${row.rule} ${row.what}`, row]));
    this.table.update([...byKey.keys()], (key) => byKey.get(key)!);
    setText(this.summary, `${rows.length} destinations and rules`);
  }

  private way(way: RouteCandidate | undefined): string {
    if (!way) return "";
    const notes = [`node ${way.nextHop ?? "?"}`];
    notes.push(way.link === null || way.link === undefined ? "no link" : `link ${way.link}`);
    const arrival = parseTime(way.arrival);
    if (arrival !== undefined) notes.push(moment(arrival, this.context.store.now()));
    if (way.maxBundleBytes) notes.push(`up to ${bytes(way.maxBundleBytes)}`);
    if (way.enabled === false) notes.push("down by operator");
    return notes.join(" · ");
  }
}

function rowsOf(table: RouteTable): Row[] {
  const rows: Row[] = (table.policies ?? []).map((policy, place) => ({
    what: conditions(policy),
    rule: `policy ${place + 1}`,
    ways: Array.isArray(policy["paths"]) ? (policy["paths"] as RouteCandidate[]) : [],
  }));
  for (const route of table.routes ?? []) {
    rows.push({
      what: `node ${route.destination}`,
      destination: route.destination,
      rule: "plan",
      ways: route.candidates ?? [],
    });
  }
  for (const fixed of table.staticRoutes ?? []) {
    rows.push({ what: `node ${String(fixed.destination)}`, rule: "static route", ways: [fixed] });
  }
  if (table.defaultGateway)
    rows.push({ what: "all others", rule: "default gateway", ways: [table.defaultGateway] });
  return rows;
}

function conditions(policy: Record<string, unknown>): string {
  const words = ["source", "destination", "service", "priority"]
    .filter((key) => policy[key] !== undefined && policy[key] !== null)
    .map((key) => `${key} ${String(policy[key])}`);
  return words.join(", ") || "every bundle";
}
