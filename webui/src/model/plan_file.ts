// SPDX-License-Identifier: Apache-2.0
// Checks the text of a contact plan file before it is sent.

/** The contacts of a plan's JSON, or the text of ION's commands, which the node reads. */
export type PlanText = unknown[] | string;

/** Throws an Error that says what to change. */
export function readPlan(text: string): PlanText {
  const content = text.replace(/^\ufeff/, "").trim();
  if (!content) throw new Error("Choose a file, or paste the text of a contact plan.");
  if (!/^[[{]/.test(content)) {
    if (/^\s*([am]\s+(contact|range)|@|#|##|\^)/m.test(content)) return content;
    throw new Error(
      'This is neither JSON nor a list of ION\'s commands: expected {"contacts": [...]}, ' +
        "or lines such as a contact +0 +3600 10 2 125000.",
    );
  }
  let plan: unknown;
  try {
    plan = JSON.parse(content);
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message}.`);
  }
  const contacts = Array.isArray(plan) ? plan : (plan as { contacts?: unknown } | null)?.contacts;
  if (!Array.isArray(contacts)) {
    throw new Error('A contact plan is an object with the list "contacts"; this file has none.');
  }
  return contacts;
}
