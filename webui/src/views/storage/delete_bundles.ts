// SPDX-License-Identifier: Apache-2.0
// Deleting what is stored: one bundle, or all for a destination.
import type { Deletion, StoredBundle } from "../../api/types";
import { bytes, exactCount } from "../../format/units";
import { ask } from "../../ui/dialog";
import { h } from "../../ui/dom";
import type { Context } from "../context";

/** A request deletes for some seconds at most, and then says where to go on. */
const MOST_REQUESTS = 1_000;

function forceBox(label: string): [HTMLElement, () => boolean] {
  const box = h("input", { type: "checkbox", id: "delete-force" });
  return [h("label", { class: "check", for: "delete-force" }, box, label), () => box.checked];
}

export function askDeleteBundle(context: Context, one: StoredBundle, done: () => void): void {
  const [box, force] = forceBox("also though this node is its custodian");
  ask({
    title: `Delete bundle ${one.bundle}?`,
    body: [
      `${bytes(one.bytes)} for ${one.destination ?? "an unknown destination"}` +
        `${one.source ? ` from ${one.source}` : ""}. It is gone for good; whoever asked for a` +
        " report of the deletion gets one.",
      ...(one.custody ? [box] : []),
    ],
    confirm: "Delete",
    danger: true,
    act: async () => {
      await context.rest.deleteBundle(one.bundle, one.custody === true && force());
      context.announcer.say(`Bundle ${one.bundle} is deleted`);
      done();
    },
  });
}

export function askDeleteAll(context: Context, destination: string, done: () => void): void {
  const [box, force] = forceBox("also those of which this node is custodian");
  ask({
    title: `Delete all bundles for ${destination}?`,
    body: [
      "All of them, also those that are not listed here. They are gone for good; whoever asked" +
        " for a report of the deletion gets one. Bundles that are being written or sent stay.",
      box,
    ],
    confirm: "Delete all",
    danger: true,
    act: async () => {
      const sum = await deleteAll(context, destination, force());
      const kept = (sum.kept ?? 0) + (sum.keptInCustody ?? 0);
      context.announcer.say(
        `${exactCount(sum.deleted)} bundles deleted${kept ? `, ${exactCount(kept)} kept` : ""}`,
      );
      done();
    },
  });
}

async function deleteAll(context: Context, destination: string, force: boolean): Promise<Deletion> {
  const sum = { deleted: 0, kept: 0, keptInCustody: 0 };
  let after = "";
  for (let turn = 0; turn < MOST_REQUESTS; turn += 1) {
    const part = await context.rest.deleteBundlesFor(destination, after, force);
    sum.deleted += part.deleted ?? 0;
    sum.kept += part.kept ?? 0;
    sum.keptInCustody += part.keptInCustody ?? 0;
    if (!part.more || !part.next) break;
    after = part.next;
  }
  return sum;
}
