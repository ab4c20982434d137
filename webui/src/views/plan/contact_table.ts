// SPDX-License-Identifier: Apache-2.0
// Contacts as a table: those that are open or come, and for those who operate a way to edit each.
import type { Contact } from "../../api/types";
import { moment, span } from "../../format/time";
import { bitRate, lightTime } from "../../format/units";
import { button, setAttribute } from "../../ui/dom";
import { Table, type Column } from "../../ui/table/table";
import type { Context } from "../context";
import { openContactForm } from "./contact_form";

export interface TimedContact {
  from: number;
  to: number;
  contact: Contact;
}

export class ContactTable {
  readonly table: Table<TimedContact>;

  constructor(
    private readonly context: Context,
    label: string,
  ) {
    this.table = new Table(
      {
        label,
        narrow: "cards",
        search: ({ contact, from }) =>
          `contact ${contact.contact} ${contact.source} → ${contact.dest} ` +
          `${contact.source} to ${contact.dest} ${new Date(from).toISOString()}`,
      },
      this.columns(),
      "No contact is open or planned.",
    );
  }

  /** By time. */
  update(contacts: readonly TimedContact[]): void {
    const byKey = new Map(contacts.map((one) => [String(one.contact.contact), one]));
    this.table.update([...byKey.keys()], (key) => byKey.get(key)!);
  }

  private columns(): Column<TimedContact>[] {
    const now = (): number => this.context.store.now();
    const state = ({ from, to }: TimedContact): string =>
      to <= now() ? "ended" : from <= now() ? "open" : "planned";
    return [
      {
        name: "contact",
        title: "Contact",
        head: true,
        sort: ({ contact }) => contact.contact,
        text: ({ contact }) => String(contact.contact),
      },
      {
        name: "pair",
        title: "From, to",
        sort: ({ contact }) => contact.dest,
        text: ({ contact }) => `${contact.source} → ${contact.dest}`,
      },
      { name: "now", title: "Now", text: state },
      {
        name: "start",
        title: "Begins",
        sort: ({ from }) => from,
        at: ({ from }) => from,
        text: ({ from }) => moment(from, now()),
      },
      {
        name: "end",
        title: "Ends",
        sort: ({ to }) => to,
        at: ({ to }) => to,
        text: ({ to }) => moment(to, now()),
      },
      {
        name: "length",
        title: "Length",
        figure: true,
        sort: ({ from, to }) => to - from,
        text: ({ from, to }) => span(to - from),
      },
      {
        name: "rate",
        title: "Rate",
        figure: true,
        sort: ({ contact }) => contact.rateBitsPerSec,
        text: ({ contact }) =>
          contact.rateBitsPerSec ? bitRate(contact.rateBitsPerSec) : "no limit",
      },
      {
        name: "owlt",
        title: "Light time",
        figure: true,
        sort: ({ contact }) => contact.owlt,
        text: ({ contact }) => lightTime(contact.owlt),
      },
      {
        name: "command",
        title: "Command",
        fill: (cell, row, fresh) => this.fillCommand(cell, row, fresh),
      },
    ];
  }

  private fillCommand(cell: HTMLElement, row: TimedContact, fresh: boolean): void {
    const number = String(row.contact.contact);
    if (fresh) cell.append(button("Edit…", () => this.edit(number)));
    const control = cell.querySelector("button")!;
    setAttribute(control, "aria-label", `Edit contact ${number}`);
    control.hidden = !this.context.session.operates || row.to <= this.context.store.now();
  }

  private edit(number: string): void {
    const found = this.context.store.contacts.find((one) => String(one.contact) === number);
    if (found) openContactForm(this.context, found);
  }
}
