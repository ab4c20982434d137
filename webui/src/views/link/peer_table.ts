// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a link: all links with its neighbour; of a link that listens, those of
// its layer, by which peers have come.
import type { LinkState } from "../../api/types";
import { bitRate, DASH } from "../../format/units";
import { linkSeries } from "../../model/link_names";
import { byNumber, claimOf } from "../../model/link_state";
import { h, setText } from "../../ui/dom";
import { linkAddress } from "../../ui/place";
import { Table } from "../../ui/table/table";
import type { Context } from "../context";
import { fillState, hasEnd, layer, stateText } from "./link_cells";

interface Row {
  key: string;
  link: LinkState;
}

const peerOf = (link: LinkState): string =>
  link.neighbour ? `node ${link.neighbour}` : (claimOf(link) ?? DASH);

const proof = (link: LinkState): string =>
  link.proved === false ? "not proved" : link.neighbour ? "yes" : DASH;

export class PeerTable {
  readonly element: HTMLElement;
  private readonly table: Table<Row>;

  constructor(private readonly context: Context) {
    const { store } = context;
    const rate = (name: string, title: string, end: "in" | "out") => ({
      name,
      title,
      figure: true,
      sort: ({ key }: Row) => store.bitRate(linkSeries(key)[end]),
      text: ({ key, link }: Row) =>
        hasEnd(link, end) ? bitRate(store.bitRate(linkSeries(key)[end])) : DASH,
    });
    this.table = new Table<Row>(
      {
        label: "Peers of this link",
        narrow: "cards",
        search: ({ link }) => `${peerOf(link)} ${link.address ?? ""} ${stateText(link)}`,
      },
      [
        {
          name: "link",
          title: "Link",
          head: true,
          sort: ({ link }) => link.number,
          fill: (cell, { key, link }, fresh) => {
            if (fresh) cell.append(h("a", { href: linkAddress(key) }));
            setText(cell.firstElementChild!, `link ${link.name ?? key}`);
          },
        },
        {
          name: "peer",
          title: "Peer",
          sort: ({ link }) => link.neighbour,
          text: ({ link }) => peerOf(link),
        },
        { name: "proof", title: "Proved", text: ({ link }) => proof(link) },
        { name: "state", title: "State", fill: (cell, { link }) => fillState(cell, link) },
        { name: "address", title: "Address", text: ({ link }) => link.address ?? DASH },
        rate("inRate", "In", "in"),
        rate("outRate", "Out", "out"),
        { name: "layer", title: "Layer", text: ({ link }) => layer(link) },
      ],
      "No peer.",
    );
    this.element = this.table.element;
  }

  update(key: string, link: LinkState): void {
    const links = this.context.store.state.links ?? {};
    const isPeer = (other: string): boolean => {
      const one = links[other]!;
      if (other === key) return link.neighbour !== undefined || claimOf(link) !== undefined;
      if (link.neighbour) return one.neighbour === link.neighbour;
      return link.direction === "in" && one.layer === link.layer && one.direction !== "in";
    };
    const keys = Object.keys(links).filter(isPeer);
    keys.sort((a, b) => byNumber(links[a]!, links[b]!));
    this.table.update(keys, (one) => ({ key: one, link: links[one]! }));
  }
}
