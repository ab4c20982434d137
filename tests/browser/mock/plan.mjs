// SPDX-License-Identifier: Apache-2.0
// Changes of single contacts of the mock node's plan, and ION's `a contact`.
import { Refusal } from "./refusal.mjs";

const number = (one) => one.contact;

export function changeContacts(world, changes) {
  for (const one of changes)
    if (!world.contacts.some((known) => number(known) === number(one)))
      throw new Refusal(422, "Unprocessable Content", `there is no contact ${number(one)}`);
  return world.contacts.map((one) => ({
    ...one,
    ...changes.find((change) => number(change) === number(one)),
  }));
}

export function addContacts(world, contacts) {
  return [...world.contacts, ...contacts];
}

export function removeContact(world, contact) {
  if (!world.contacts.some((one) => number(one) === contact))
    throw new Refusal(404, "Not Found", `there is no contact ${contact}`);
  return world.contacts.filter((one) => number(one) !== contact);
}

export function readIon(world, text) {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith("#"))
    .map((line, place) => {
      const found = line.match(/^a contact \+(\d+) \+(\d+) (\d+) (\d+) (\d+)$/);
      if (!found) {
        throw new Refusal(422, "Unprocessable Content", "the contact plan is not valid", [
          { path: `line ${place + 1}`, problem: `found ${line}`, expected: "a contact" },
        ]);
      }
      const [from, to, source, dest, rate] = found.slice(1).map(Number);
      return {
        contact: place,
        source,
        dest,
        startTime: new Date(world.nowMs + from * 1_000).toISOString(),
        endTime: new Date(world.nowMs + to * 1_000).toISOString(),
        rateBitsPerSec: 8 * rate,
        owlt: 0,
      };
    });
}
