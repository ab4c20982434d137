// SPDX-License-Identifier: Apache-2.0
// What stands above a table with many rows: a search field, and on narrow screens, where a table
// has no heads, the choice of its order.
import { freshId, h, setText } from "../dom";
import type { Column } from "./columns";

export interface Sorting {
  column: string;
  descending: boolean;
}

export class TableTools {
  readonly element: HTMLElement;
  private readonly field: HTMLInputElement;
  private readonly order: HTMLSelectElement;
  private readonly tally = h("span", { class: "quiet tally" });

  constructor(
    label: string,
    searched: boolean,
    private readonly changed: () => void,
    private readonly sorted: (sorting: Sorting) => void,
  ) {
    const name = label.charAt(0).toLowerCase() + label.slice(1);
    const id = freshId("search");
    this.field = h("input", {
      id,
      type: "search",
      class: "search",
      placeholder: "Search",
      autocomplete: "off",
      spellcheck: "false",
    });
    const orderId = freshId("order");
    this.order = h("select", { id: orderId });
    this.element = h(
      "div",
      { class: "table-tools", hidden: true },
      searched && h("label", { for: id, class: "unseen" }, `Search in: ${name}`),
      searched && this.field,
      h(
        "span",
        { class: "sort-choice" },
        h("label", { for: orderId, class: "unseen" }, `Order of: ${name}`),
        this.order,
      ),
      this.tally,
    );
    this.field.addEventListener("input", () => this.changed());
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.field.value) return;
      event.stopPropagation();
      event.preventDefault();
      this.clear();
    });
    this.order.addEventListener("change", () => {
      const [column = "", way] = this.order.value.split(" ");
      this.sorted({ column, descending: way === "down" });
    });
  }

  get filter(): string {
    return this.field.value.trim().toLowerCase();
  }

  clear(): void {
    this.field.value = "";
    this.changed();
  }

  setColumns<Row>(columns: readonly Column<Row>[]): void {
    const ways = [
      ["up", "ascending"],
      ["down", "descending"],
    ] as const;
    this.order.replaceChildren(
      h("option", { value: "" }, "Order"),
      ...columns
        .filter((one) => one.sort)
        .flatMap((one) =>
          ways.map(([way, word]) =>
            h("option", { value: `${one.name} ${way}` }, `${one.title}, ${word}`),
          ),
        ),
    );
  }

  show({ column, descending }: Sorting, shown: number, all: number, useful: boolean): void {
    this.element.hidden = !useful && !this.filter;
    const value = column ? `${column} ${descending ? "down" : "up"}` : "";
    if (document.activeElement !== this.order && this.order.value !== value)
      this.order.value = value;
    setText(this.tally, `${shown === all ? all : `${shown} of ${all}`} rows`);
  }
}
