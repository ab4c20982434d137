// SPDX-License-Identifier: Apache-2.0
// Checks the text of a contact plan file before it is sent.

/** The contacts of a plan's text; throws an Error with the value to change. */
export function readPlan(text: string): unknown[] {
  const content = text.replace(/^\ufeff/, "").trim();
  if (!content) throw new Error("Choose a file, or paste the text of a contact plan.");
  let plan: unknown;
  try {
    plan = JSON.parse(content);
  } catch (error) {
    throw new Error(
      `This is not JSON: ${(error as Error).message}. Upload plans in ION's form by farlinkctl.`,
    );
  }
  const contacts = Array.isArray(plan) ? plan : (plan as { contacts?: unknown } | null)?.contacts;
  if (!Array.isArray(contacts)) {
    throw new Error('A contact plan is an object with the list "contacts"; this file has none.');
  }
  return contacts;
}
