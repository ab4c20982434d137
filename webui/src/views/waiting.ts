// SPDX-License-Identifier: Apache-2.0
// Stored bundles by destination, and held destinations; the commands hold and release for
// operators.
import { moment, parseTime, span } from "../format/time";
import { bytes, DASH, exactCount } from "../format/units";
import { waitingByNode, type Waiting } from "../model/waiting";
import { ask, errorBox, showFault } from "../ui/dialog";
import { button, h, numberField, setAttribute, setClass, setText } from "../ui/dom";
import { Table, type Column } from "../ui/table";
import type { Context } from "./context";

// The number of destinations with stored bundles that a node lists.
const MOST_ROWS = 1_000;
const HELD = "Bundles for this node stay in storage until it is released";

export class WaitingView {
  /** The parts of the panel, in this order. */
  readonly parts: HTMLElement[];
  private readonly table: Table<Waiting>;
  private readonly more = h("p", { class: "quiet", hidden: true });
  private readonly form: HTMLElement;

  constructor(private readonly context: Context) {
    this.table = new Table("Waiting bundles by destination", this.columns(), "No bundles wait.");
    this.table.element.classList.add("cards");
    this.form = this.holdForm();
    const scroll = h(
      "div",
      { class: "scroll", role: "region", tabindex: "0", "aria-label": "Table of waiting bundles" },
      this.table.element,
    );
    this.parts = [h("h3", {}, "Waiting, by destination"), scroll, this.more, this.form];
  }

  paint(): void {
    const { state } = this.context.store;
    const rows = waitingByNode(state);
    this.table.update(rows.slice(0, MOST_ROWS).map((row) => [row.node, row] as const));
    this.more.hidden = rows.length <= MOST_ROWS;
    setText(this.more, `The first ${MOST_ROWS} of ${rows.length} are shown.`);
    this.form.hidden = !this.context.session.operates || state.storage?.held === undefined;
  }

  private columns(): Column<Waiting>[] {
    return [
      { name: "destination", title: "Node", head: true, text: ({ node }) => node },
      { name: "state", title: "State", fill: fillState },
      { name: "bundles", title: "Bundles", figure: true, text: (one) => exactCount(one.bundles) },
      { name: "bytes", title: "Size", figure: true, text: (one) => bytes(one.bytes) },
      {
        name: "expiry",
        title: "Next expiry",
        text: ({ nextExpiry }) => expiry(nextExpiry, this.context.store.now()),
      },
      {
        name: "command",
        title: "Command",
        fill: (cell, row, fresh) => this.fillCommand(cell, row, fresh),
      },
    ];
  }

  private fillCommand(cell: HTMLElement, { node, held }: Waiting, fresh: boolean): void {
    if (fresh) cell.append(button("", () => this.askFor(node)));
    const control = cell.querySelector("button")!;
    const word = held ? "Release" : "Hold";
    setText(control, word);
    setAttribute(control, "aria-label", `${word} node ${node}`);
    control.hidden = !this.context.session.operates || held === undefined;
  }

  private isHeld(node: string): boolean {
    return this.context.store.state.storage?.held?.[node] === true;
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
      const wrong = !/^[1-9][0-9]*$/.test(node)
        ? "Node to hold: enter a whole number, as 30."
        : this.isHeld(node)
          ? `Node ${node} is already held.`
          : "";
      showFault(fault, wrong ? [wrong] : []);
      if (wrong) field.focus();
      else this.askFor(node, () => (field.value = ""));
    });
    return form;
  }

  private askFor(node: string, done?: () => void): void {
    const { rest, announcer } = this.context;
    const held = this.isHeld(node);
    ask({
      title: held ? `Release node ${node}?` : `Hold node ${node}?`,
      body: held
        ? [`Bundles for node ${node} are sent again when a route is available.`]
        : [
            `All bundles for node ${node} stay in storage here, independent of plan, policies and` +
              " links, until it is released. A restart does not end it.",
            `Bundles that pass node ${node} to others are still sent.` +
              " Held bundles expire like others.",
          ],
      confirm: held ? "Release" : "Hold",
      danger: !held,
      act: async () => {
        await rest.setHeld(node, !held);
        announcer.say(`Node ${node} is ${held ? "released" : "held"}`);
        done?.();
      },
    });
  }
}

function fillState(cell: HTMLElement, { held }: Waiting): void {
  setClass(cell, held ? "state held" : "state");
  setText(cell, held ? "■ held by operator" : "waiting");
  setAttribute(cell, "title", held ? HELD : null);
}

function expiry(text: string | null | undefined, now: number): string {
  const at = parseTime(text);
  if (at === undefined) return DASH;
  return at > now ? `in ${span(at - now)}, ${moment(at, now)}` : "due";
}
