// SPDX-License-Identifier: Apache-2.0
// The dialog of a change of the plan: a dry run that shows what would change, and only then the
// change.
import { failureLines } from "../../api/problem";
import type { PlanChange } from "../../api/types";
import { changeLines } from "../../model/plan_change";
import { errorBox, openDialog, showFault } from "../../ui/dialog";
import { button, h } from "../../ui/dom";
import type { Context } from "../context";

export type Attempt = (dryRun: boolean) => Promise<PlanChange>;

export interface PlanChangeForm {
  title: string;
  /** What the operator fills in. */
  fields: Node[];
  /** The button that puts the change in force. */
  apply: string;
  /** What a screen reader is told then. */
  done: string;
  /** Reads the fields; throws an Error that says what to change. */
  read(): Promise<Attempt> | Attempt;
  /** Further ways to change the plan, each shown before it is made. */
  others?: { label: string; apply: string; attempt: Attempt }[];
}

export interface OpenedForm {
  /** What has been shown holds no longer: a field has changed. */
  forget(): void;
}

export function openPlanChange(context: Context, form: PlanChangeForm): OpenedForm {
  const fault = errorBox();
  const result = h("div", { class: "change", id: "plan-change", "aria-live": "polite" });
  const check = h(
    "button",
    { type: "submit", id: "plan-check", class: "primary" },
    "Show what changes",
  );
  const apply = button(form.apply, () => void putInForce(), {
    id: "plan-apply",
    class: "danger",
    disabled: true,
  });
  const others = (form.others ?? []).map((one) =>
    button(one.label, () => {
      forget();
      void show(() => one.attempt, one.apply);
    }),
  );
  const element = h(
    "form",
    { method: "dialog", novalidate: true },
    ...form.fields,
    fault,
    result,
    h(
      "div",
      { class: "actions" },
      ...others,
      button("Cancel", () => dialog.close()),
      check,
      apply,
    ),
  );
  let checked: Attempt | undefined;
  const forget = (): void => {
    checked = undefined;
    apply.disabled = true;
    result.replaceChildren();
  };
  element.addEventListener("input", forget);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    forget();
    void show(() => form.read(), form.apply);
  });
  const dialog = openDialog(form.title, element);

  async function guarded(act: () => Promise<void>): Promise<void> {
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

  function show(read: () => Promise<Attempt> | Attempt, label: string): Promise<void> {
    return guarded(async () => {
      const attempt = await read();
      const change = await attempt(true);
      const [first, ...rest] = changeLines(change);
      result.replaceChildren(h("h3", {}, "What would change"), h("p", {}, first ?? ""));
      if (rest.length) result.append(h("ul", {}, ...rest.map((line) => h("li", {}, line))));
      apply.textContent = label;
      checked = change.nothingChanges ? undefined : attempt;
    });
  }

  function putInForce(): Promise<void> {
    const attempt = checked;
    if (!attempt) return Promise.resolve();
    return guarded(async () => {
      const change = await attempt(false);
      context.announcer.say(`${form.done}: version ${change.version ?? "unknown"}`);
      dialog.close();
    });
  }
  return { forget };
}
