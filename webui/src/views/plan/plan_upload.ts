// SPDX-License-Identifier: Apache-2.0
// Uploading a contact plan: a file, or its text, in JSON or in ION's commands.
import { readPlan } from "../../model/plan_file";
import { h } from "../../ui/dom";
import type { Context } from "../context";
import { openPlanChange } from "./plan_change_form";

export function openPlanUpload(context: Context): void {
  const { rest } = context;
  const file = h("input", {
    type: "file",
    id: "plan-file",
    accept: ".json,.ion,.ionrc,.rc,.txt,application/json,text/plain",
  });
  const text = h("textarea", { id: "plan-text", rows: 6, spellcheck: "false" });
  const form = openPlanChange(context, {
    title: "Upload a contact plan",
    fields: [
      h("p", {}, "The file replaces the whole plan in force. A preview shows all changes first."),
      h("label", { for: "plan-file" }, "File (JSON, or ION's commands)"),
      file,
      h("label", { for: "plan-text" }, "or its text"),
      text,
    ],
    apply: "Replace the plan",
    done: "Contact plan replaced",
    read: async () => {
      const chosen = file.files?.[0];
      const plan = readPlan(text.value || (chosen ? await chosen.text() : ""));
      return (dryRun) => rest.replacePlan(plan, dryRun);
    },
  });
  file.addEventListener("change", () => {
    form.forget();
    void file.files?.[0]?.text().then((content) => (text.value = content));
  });
}
