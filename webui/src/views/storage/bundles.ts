// SPDX-License-Identifier: Apache-2.0
// The bundles in storage, a page at a time: by destination, with hold and delete for those who
// operate.
import { failureLines } from "../../api/problem";
import type { StoredBundle } from "../../api/types";
import { moment, parseTime, until } from "../../format/time";
import { bytes, DASH } from "../../format/units";
import { nodeOf, readDestination } from "../../model/stored_filter";
import { errorBox, showFault } from "../../ui/dialog";
import { button, byId, h, setAttribute, setText } from "../../ui/dom";
import { Table, type Column } from "../../ui/table/table";
import type { Context } from "../context";
import { askDeleteAll, askDeleteBundle } from "./delete_bundles";
import { askHold, isHeld } from "./hold";

// Of so many the node also reads what they are.
const PAGE = 128;

const STATES: Record<string, string> = {
  waiting: "waiting",
  leaving: "leaving",
  inCustody: "in custody",
  aside: "set aside: no contact carries it, or it has returned",
  fragment: "fragment that waits for others",
  refused: "refused by a neighbour",
  tooLarge: "too large for its link",
  unreadable: "unreadable",
};

export class StoredBundlesView {
  readonly element: HTMLDetailsElement;
  private readonly field = h("input", {
    id: "bundles-destination",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "all",
  });
  private readonly fault = errorBox();
  private readonly summary = h("p", { class: "quiet", "aria-live": "polite" });
  private readonly more: HTMLButtonElement;
  private readonly hold: HTMLButtonElement;
  private readonly deleteAll: HTMLButtonElement;
  private readonly table: Table<StoredBundle>;
  private destination = "";
  private bundles = new Map<string, StoredBundle>();
  private next = "";
  private fetching = false;

  constructor(private readonly context: Context) {
    this.more = button("Fetch more", () => void this.fetch(true), { hidden: true });
    this.hold = button("Hold…", () => this.askHold());
    this.deleteAll = button("Delete all of these…", () => this.askDeleteAll(), { class: "danger" });
    this.table = new Table(
      {
        label: "Stored bundles",
        narrow: "cards",
        search: (one) =>
          `${one.bundle} ${one.source ?? ""} ${one.destination ?? ""} ${stateOf(one)} ` +
          `${one.priority ?? ""}`,
      },
      this.columns(),
      "No bundles are stored.",
    );
    const form = h(
      "form",
      { class: "fields", novalidate: true, "aria-label": "Stored bundles by destination" },
      h("div", {}, h("label", { for: "bundles-destination" }, "Destination"), this.field),
      h("button", { type: "submit" }, "List"),
      this.hold,
      this.deleteAll,
      this.fault,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.list();
    });
    this.element = h(
      "details",
      { id: "stored-bundles" },
      h("summary", {}, "Stored bundles"),
      form,
      this.summary,
      this.table.element,
      this.more,
    );
    this.element.addEventListener("toggle", () => {
      // Its columns need the whole width.
      byId("storage").classList.toggle("wide", this.element.open);
      if (this.element.open && !this.bundles.size) this.list();
    });
    context.session.onChange(() => this.paint());
  }

  /** Opens the list with what is stored for a node. */
  show(node: string): void {
    this.field.value = node;
    this.element.open = true;
    this.list();
    this.element.scrollIntoView({ block: "start" });
    this.field.focus({ preventScroll: true });
  }

  paint(): void {
    const { operates } = this.context.session;
    const node = nodeOf(this.destination);
    this.hold.hidden = !operates || node === undefined;
    if (node) setText(this.hold, isHeld(this.context, node) ? "Release…" : "Hold…");
    this.deleteAll.hidden = !operates || this.destination === "" || this.bundles.size === 0;
    if (this.element.open)
      this.table.update([...this.bundles.keys()], (key) => this.bundles.get(key)!);
  }

  private list(): void {
    showFault(this.fault, []);
    try {
      this.destination = readDestination(this.field.value);
    } catch (error) {
      showFault(this.fault, failureLines(error));
      return;
    }
    void this.fetch(false);
  }

  private async fetch(further: boolean): Promise<void> {
    if (this.fetching) return;
    this.fetching = true;
    showFault(this.fault, []);
    try {
      const after = further ? this.next : "";
      const page = await this.context.rest.storedBundles(this.destination, after, PAGE);
      if (!further) this.bundles = new Map();
      for (const one of page.bundles) this.bundles.set(one.bundle, one);
      this.next = page.more ? (page.next ?? "") : "";
    } catch (error) {
      showFault(this.fault, failureLines(error));
    }
    this.fetching = false;
    this.more.hidden = this.next === "";
    const whose = this.destination ? ` for ${this.destination}` : "";
    const rest = this.next ? ", and further ones" : "";
    setText(this.summary, `${this.bundles.size} bundles${whose}${rest}`);
    this.paint();
  }

  private columns(): Column<StoredBundle>[] {
    const now = (): number => this.context.store.now();
    return [
      { name: "bundle", title: "Number", head: true, text: (one) => one.bundle },
      { name: "state", title: "State", sort: stateOf, text: stateOf },
      {
        name: "source",
        title: "Source",
        sort: (one) => one.source,
        text: (one) => one.source ?? DASH,
      },
      {
        name: "to",
        title: "Destination",
        sort: (one) => one.destination,
        text: (one) => one.destination ?? DASH,
      },
      {
        name: "priority",
        title: "Priority",
        sort: (one) => one.priority,
        text: (one) => String(one.priority ?? DASH),
      },
      {
        name: "size",
        title: "Size",
        figure: true,
        sort: (one) => one.bytes,
        text: (one) => bytes(one.bytes) + (one.fragment ? ", fragment" : ""),
      },
      {
        name: "created",
        title: "Created",
        sort: (one) => one.created,
        at: (one) => parseTime(one.created),
        text: (one) => {
          const at = parseTime(one.created);
          return at === undefined ? DASH : moment(at, now());
        },
      },
      {
        name: "expires",
        title: "Expires",
        sort: (one) => one.expires,
        at: (one) => parseTime(one.expires),
        text: (one) => {
          const at = parseTime(one.expires);
          return at === undefined ? DASH : at > now() ? until(at, now()) : "due";
        },
      },
      { name: "disk", title: "Disk", sort: (one) => one.disk, text: (one) => one.disk ?? DASH },
      {
        name: "command",
        title: "Command",
        fill: (cell, row, fresh) => this.fillCommand(cell, row, fresh),
      },
    ];
  }

  private fillCommand(cell: HTMLElement, { bundle }: StoredBundle, fresh: boolean): void {
    if (fresh) cell.append(button("Delete…", () => this.askDelete(bundle)));
    const control = cell.querySelector("button")!;
    setAttribute(control, "aria-label", `Delete bundle ${bundle}`);
    control.hidden = !this.context.session.operates;
  }

  private askDelete(bundle: string): void {
    const found = this.bundles.get(bundle);
    if (!found) return;
    askDeleteBundle(this.context, found, () => {
      this.bundles.delete(bundle);
      this.paint();
    });
  }

  private askDeleteAll(): void {
    askDeleteAll(this.context, this.destination, () => void this.fetch(false));
  }

  private askHold(): void {
    const node = nodeOf(this.destination);
    if (node) askHold(this.context, node, () => this.paint());
  }
}

const stateOf = (one: StoredBundle): string =>
  (STATES[one.state ?? ""] ?? one.state ?? DASH) + (one.custody ? ", custodian" : "");
