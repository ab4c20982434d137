// SPDX-License-Identifier: Apache-2.0
// The panel of applications: their endpoints, who receives there, and what waits. A node without
// the module of applications does not have it.
import type { EndpointState } from "../api/types";
import { bytes, DASH, exactCount } from "../format/units";
import {
  applicationsNote,
  byEndpoint,
  endpointOrder,
  endpointRank,
  endpointTally,
  endpointWord,
  hasApplications,
  isUnattended,
} from "../model/endpoints";
import { byId, h, setClass, setText } from "../ui/dom";
import { Table, type Column } from "../ui/table/table";
import type { Context } from "./context";
import { OldFigures } from "./old_figures";
import { testMessage } from "./test_message";

interface Row {
  key: string;
  one: EndpointState;
}

/** What is told of bundles: their number, and their size. */
type Traffic = "stored" | "waiting" | "delivered" | "sent";

export class ApplicationsView {
  private readonly panel = byId("applications");
  private readonly entry = byId("applications-entry");
  private readonly summary = h("p", { class: "quiet summary" });
  private readonly note = h("p", { class: "old", hidden: true });
  private readonly old = new OldFigures(["applications"]);
  private readonly table: Table<Row>;
  private keys: string[] = [];

  constructor(private readonly context: Context) {
    this.table = new Table(
      {
        label: "Endpoints of applications",
        narrow: "cards",
        search: ({ key, one }) => `${key} ${kind(one)} ${stateText(one)}`,
      },
      columns(),
      "No endpoints.",
    );
    this.panel.append(
      this.summary,
      this.note,
      this.old.element,
      this.table.element,
      testMessage(context),
    );
    context.painter.add(this.panel, 500, () => this.paint());
  }

  private paint(): void {
    const { state } = this.context.store;
    this.panel.hidden = this.entry.hidden = !hasApplications(state);
    if (this.panel.hidden) return;
    this.old.paint(state);
    const note = applicationsNote(state);
    this.note.hidden = !note;
    setText(this.note, note && `▲ ${note}`);
    const endpoints = state.endpoints ?? {};
    setText(this.summary, endpointTally(Object.values(endpoints)));
    this.table.update(this.sorted(Object.keys(endpoints)), (key) => ({
      key,
      one: endpoints[key]!,
    }));
  }

  /** The same list while the endpoints are the same ones. */
  private sorted(keys: string[]): string[] {
    const known = new Set(this.keys);
    if (keys.length !== known.size || keys.some((key) => !known.has(key)))
      this.keys = keys.sort(byEndpoint);
    return this.keys;
  }
}

function columns(): Column<Row>[] {
  return [
    {
      name: "endpoint",
      title: "Endpoint",
      head: true,
      sort: ({ key }) => endpointOrder(key),
      text: ({ key }) => key,
    },
    { name: "state", title: "State", sort: ({ one }) => endpointRank(one), fill: fillState },
    { name: "kind", title: "Kind", sort: ({ one }) => kind(one), text: ({ one }) => kind(one) },
    number("receivers", "Receivers", ({ one }) => one.receivers),
    number("connections", "Connections", ({ one }) => one.connections),
    traffic("stored", "Stored"),
    traffic("waiting", "Waiting"),
    number("leased", "Leased", ({ one }) => one.leasedBundles),
    traffic("delivered", "Delivered"),
    traffic("sent", "Sent"),
  ];
}

const number = (
  name: string,
  title: string,
  of: (row: Row) => number | undefined,
): Column<Row> => ({ name, title, figure: true, sort: of, text: (row) => exactCount(of(row)) });

const traffic = (name: Traffic, title: string): Column<Row> => ({
  name,
  title,
  figure: true,
  sort: ({ one }) => one[`${name}Bundles`],
  text: ({ one }) => amount(one[`${name}Bundles`], one[`${name}Bytes`]),
});

const amount = (bundles: number | undefined, size: number | undefined): string =>
  bundles ? `${exactCount(bundles)} · ${bytes(size)}` : exactCount(bundles);

const kind = ({ configured }: EndpointState): string =>
  configured === undefined ? DASH : configured ? "configured" : "dynamic";

function stateText(one: EndpointState): string {
  const word = endpointWord(one);
  if (isUnattended(one)) return `▲ ${word}: bundles wait`;
  return `${{ receiving: "●", "no receiver": "○", unknown: "?" }[word]} ${word}`;
}

function fillState(cell: HTMLElement, { one }: Row): void {
  const good = endpointWord(one) === "receiving";
  setClass(cell, `state ${isUnattended(one) ? "warn" : good ? "good" : "idle"}`);
  setText(cell, stateText(one));
}
