// SPDX-License-Identifier: Apache-2.0
// Stored bundles by destination, and held destinations; the commands hold and release for
// operators.
import { moment, parseTime, span } from "../../format/time";
import { bytes, DASH, exactCount } from "../../format/units";
import { isNodeNumber, waitingFor, waitingNodes, type Waiting } from "../../model/waiting";
import { errorBox, showFault } from "../../ui/dialog";
import { button, h, numberField, setAttribute, setClass, setText } from "../../ui/dom";
import { Table, type Column } from "../../ui/table/table";
import type { Context } from "../context";
import { askHold, isHeld } from "./hold";

const HELD = "Bundles for this node stay in storage until it is released";

export class WaitingView {
  /** The parts of the panel, in this order. */
  readonly parts: HTMLElement[];
  private readonly table: Table<Waiting>;
  private readonly form: HTMLElement;

  /** `list` shows the bundles for a node. */
  constructor(
    private readonly context: Context,
    private readonly list: (node: string) => void,
  ) {
    this.table = new Table(
      {
        label: "Waiting bundles by destination",
        narrow: "cards",
        sorted: { column: "bytes", descending: true },
        search: ({ node, held }) =>
          `${destinationTitle(node)} ipn:${node} ${held ? "held by operator" : ""}`,
      },
      this.columns(),
      "No bundles wait.",
    );
    this.form = this.holdForm();
    this.parts = [h("h3", {}, "Waiting, by destination"), this.table.element, this.form];
  }

  paint(): void {
    const { state } = this.context.store;
    this.table.update(waitingNodes(state), (node) => waitingFor(state, node));
    this.form.hidden = !this.context.session.operates || state.storage?.held === undefined;
  }

  private columns(): Column<Waiting>[] {
    return [
      {
        name: "destination",
        title: "Node",
        head: true,
        sort: ({ node }) => Number(node),
        fill: (cell, { node }, fresh) => this.fillNode(cell, node, fresh),
      },
      { name: "state", title: "State", sort: ({ held }) => (held ? 0 : 1), fill: fillState },
      {
        name: "bundles",
        title: "Bundles",
        figure: true,
        sort: (one) => one.bundles,
        text: (one) => exactCount(one.bundles),
      },
      {
        name: "bytes",
        title: "Size",
        figure: true,
        sort: (one) => one.bytes ?? 0,
        text: (one) => bytes(one.bytes),
      },
      {
        name: "expiry",
        title: "Next expiry",
        sort: ({ nextExpiry }) => nextExpiry,
        at: ({ nextExpiry }) => parseTime(nextExpiry),
        text: (one) => expiry(one, this.context.store.now()),
      },
      {
        name: "command",
        title: "Command",
        fill: (cell, row, fresh) => this.fillCommand(cell, row, fresh),
      },
    ];
  }

  private fillNode(cell: HTMLElement, node: string, fresh: boolean): void {
    if (fresh) cell.append(button("", () => this.list(node), { class: "plain" }));
    const control = cell.querySelector("button")!;
    setText(control, node);
    setAttribute(control, "title", `Show the bundles for ${destinationTitle(node)}`);
  }

  private fillCommand(cell: HTMLElement, { node, held, holdable }: Waiting, fresh: boolean): void {
    if (fresh) cell.append(button("", () => askHold(this.context, node)));
    const control = cell.querySelector("button")!;
    const word = held ? "Release" : "Hold";
    setText(control, word);
    setAttribute(control, "aria-label", `${word} node ${node}`);
    control.hidden = !this.context.session.operates || !holdable;
  }

  /** The form also accepts a node without stored bundles. */
  private holdForm(): HTMLElement {
    const [box, field] = numberField("hold-node", "Node to hold");
    const fault = errorBox();
    const form = h(
      "form",
      { class: "fields", novalidate: true, "aria-label": "Hold a node" },
      box,
      h("button", { type: "submit" }, "Hold…"),
      fault,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const node = field.value.trim();
      const wrong = !isNodeNumber(node)
        ? "Node to hold: enter a whole number, as 30."
        : isHeld(this.context, node)
          ? `Node ${node} is already held.`
          : "";
      showFault(fault, wrong ? [wrong] : []);
      if (wrong) field.focus();
      else askHold(this.context, node, () => (field.value = ""));
    });
    return form;
  }
}

/** A node, or the endpoint or node that has a name. */
const destinationTitle = (node: string): string => (isNodeNumber(node) ? `node ${node}` : node);

function fillState(cell: HTMLElement, { held }: Waiting): void {
  setClass(cell, held ? "state held" : "state");
  setText(cell, held ? "■ held by operator" : "waiting");
  setAttribute(cell, "title", held ? HELD : null);
}

function expiry({ nextExpiry, bundles }: Waiting, now: number): string {
  const at = parseTime(nextExpiry);
  if (at !== undefined) return at > now ? `in ${span(at - now)}, ${moment(at, now)}` : "due";
  return bundles ? "not known" : DASH;
}
