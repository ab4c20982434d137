// SPDX-License-Identifier: Apache-2.0
// Editing one contact, adding one, or taking one out.
import type { Contact } from "../../api/types";
import { isoTime, localTime } from "../../format/time";
import { readRate, readSeconds, readTime, writeRate } from "../../model/contact_fields";
import { h, setText } from "../../ui/dom";
import type { Context } from "../context";
import { ownNumber } from "../context";
import { openPlanChange } from "./plan_change_form";

interface Field {
  input: HTMLInputElement;
  box: HTMLElement;
}

function field(id: string, label: string, value: string, hint: string): Field {
  const hintId = `${id}-hint`;
  const input = h("input", {
    id,
    value,
    required: true,
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": hintId,
  });
  const note = h("span", { class: "quiet", id: hintId }, hint);
  return { input, box: h("div", { class: "field" }, h("label", { for: id }, label), input, note) };
}

/** The hint below a time says what its local time is. */
function timeField(id: string, label: string, at: number): Field {
  const made = field(id, label, isoTime(at), "");
  const note = made.box.lastElementChild!;
  const show = (): void => {
    const ms = readTime(made.input.value);
    setText(note, ms === undefined ? "as 2026-11-22T15:04:05Z" : (localTime(ms) ?? ""));
  };
  made.input.addEventListener("input", show);
  show();
  return made;
}

function need<T>(value: T | undefined, label: string, expected: string): T {
  if (value === undefined) throw new Error(`${label}: expected ${expected}.`);
  return value;
}

const node = (text: string): number | undefined =>
  /^[1-9][0-9]*$/.test(text.trim()) ? Number(text.trim()) : undefined;

/** `contact`: the one to edit; undefined: a new one, to `dest` if that is given. */
export function openContactForm(context: Context, contact?: Contact, dest?: number): void {
  const { rest, store } = context;
  const soon = Math.ceil(store.now() / 60_000) * 60_000;
  const begin = contact ? Date.parse(contact.startTime) : soon + 600_000;
  const end = contact ? Date.parse(contact.endTime) : soon + 1_200_000;
  const from = field(
    "contact-source",
    "From node",
    contact ? String(contact.source) : String(ownNumber(context) || ""),
    "a node number",
  );
  const to = field("contact-dest", "To node", dest ? String(dest) : "", "a node number");
  const start = timeField("contact-start", "Begins (UTC)", begin);
  const stop = timeField("contact-end", "Ends (UTC)", end);
  const rate = field(
    "contact-rate",
    "Rate",
    writeRate(contact?.rateBitsPerSec),
    "as 400 Mbit/s; 0: no limit",
  );
  const owlt = field("contact-owlt", "Light time", String(contact?.owlt ?? 0), "seconds, one way");

  const times = () => ({
    startTime: isoTime(
      need(readTime(start.input.value), "Begins", "a time in UTC, as 2026-11-22T15:04:05Z"),
    ),
    endTime: isoTime(
      need(readTime(stop.input.value), "Ends", "a time in UTC, as 2026-11-22T15:04:05Z"),
    ),
    rateBitsPerSec: need(readRate(rate.input.value), "Rate", "bits per second, as 400 Mbit/s"),
    owlt: need(readSeconds(owlt.input.value), "Light time", "seconds, as 1.3"),
  });
  const grid = [start.box, stop.box, rate.box, owlt.box];
  if (contact) {
    const { contact: number } = contact;
    openPlanChange(context, {
      title: `Contact ${number}: node ${contact.source} to node ${contact.dest}`,
      fields: [h("div", { class: "field-grid" }, ...grid)],
      apply: "Change the contact",
      done: "Contact changed",
      read: () => {
        const change = { contact: number, ...times() };
        return (dryRun) => rest.changeContact(change, dryRun);
      },
      others: [
        {
          label: "Take it out…",
          apply: "Take it out",
          attempt: (dryRun) => rest.removeContact(number, dryRun),
        },
      ],
    });
    return;
  }
  openPlanChange(context, {
    title: "Add a contact",
    fields: [h("div", { class: "field-grid" }, from.box, to.box, ...grid)],
    apply: "Add the contact",
    done: "Contact added",
    read: () => {
      const added: Contact = {
        contact: freeNumber(store.contacts),
        source: need(node(from.input.value), "From node", "a whole number, as 10"),
        dest: need(node(to.input.value), "To node", "a whole number, as 10"),
        ...times(),
      };
      return (dryRun) => rest.addContact(added, dryRun);
    },
  });
}

const freeNumber = (contacts: readonly Contact[]): number =>
  contacts.reduce((most, one) => Math.max(most, one.contact), 0) + 1;
