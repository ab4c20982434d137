// SPDX-License-Identifier: Apache-2.0
// Uploads a contact plan: a file, a dry run that shows the changes, then the change.
import { failureLines } from "../api/problem";
import type { PlanChange } from "../api/types";
import { errorBox, openDialog, showFault } from "../ui/dialog";
import { button, h } from "../ui/dom";
import { readPlan } from "../model/plan_file";
import { changeLines } from "../model/plan_change";
import type { Context } from "./context";

export function openPlanUpload(context: Context): void {
  const { rest, announcer } = context;
  const file = h("input", { type: "file", id: "plan-file", accept: ".json,application/json" });
  const text = h("textarea", { id: "plan-text", rows: 6, spellcheck: "false" });
  const fault = errorBox();
  const result = h("div", { class: "change", id: "plan-change", "aria-live": "polite" });
  const check = h(
    "button",
    { type: "submit", id: "plan-check", class: "primary" },
    "Show what changes",
  );
  const apply = button("Replace the plan", () => void replace(), {
    id: "plan-apply",
    class: "danger",
    disabled: true,
  });
  const form = h(
    "form",
    { method: "dialog", novalidate: true },
    h(
      "p",
      {},
      "The file replaces the whole plan in force. A preview shows all changes first.",
    ),
    h("label", { for: "plan-file" }, "File (JSON)"),
    file,
    h("label", { for: "plan-text" }, "or its text"),
    text,
    fault,
    result,
    h(
      "div",
      { class: "actions" },
      button("Cancel", () => dialog.close()),
      check,
      apply,
    ),
  );
  let checked: unknown[] | undefined;
  const forget = (): void => {
    checked = undefined;
    apply.disabled = true;
    result.replaceChildren();
  };
  text.addEventListener("input", forget);
  file.addEventListener("change", () => {
    forget();
    void file.files?.[0]?.text().then((content) => (text.value = content));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void dryRun();
  });
  const dialog = openDialog("Upload a contact plan", form);

  async function attempt(act: () => Promise<void>): Promise<void> {
    showFault(fault, []);
    check.disabled = apply.disabled = true;
    try {
      await act();
    } catch (error) {
      checked = undefined;
      showFault(fault, failureLines(error));
    }
    check.disabled = false;
    apply.disabled = checked === undefined;
  }

  function dryRun(): Promise<void> {
    forget();
    return attempt(async () => {
      const chosen = file.files?.[0];
      const contacts = readPlan(text.value || (chosen ? await chosen.text() : ""));
      const change = await rest.replacePlan(contacts, true);
      showChange(result, change);
      checked = change.nothingChanges ? undefined : contacts;
    });
  }

  function replace(): Promise<void> {
    const contacts = checked;
    if (!contacts) return Promise.resolve();
    return attempt(async () => {
      const change = await rest.replacePlan(contacts, false);
      announcer.say(`Contact plan replaced: version ${change.version ?? "unknown"}`);
      dialog.close();
    });
  }
}

function showChange(box: HTMLElement, change: PlanChange): void {
  const [first, ...rest] = changeLines(change);
  box.replaceChildren(h("h3", {}, "What would change"), h("p", {}, first ?? ""));
  if (rest.length) box.append(h("ul", {}, ...rest.map((line) => h("li", {}, line))));
}
