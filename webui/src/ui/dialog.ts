// SPDX-License-Identifier: Apache-2.0
// Confirmations in a <dialog>: the browser keeps the focus inside, and Escape cancels.
import { failureLines } from "../api/problem";
import { button, freshId, h } from "./dom";

export interface Question {
  title: string;
  /** The consequences, one paragraph each. */
  body: (string | Node)[];
  confirm: string;
  /** The confirming button has the colour of a warning. */
  danger?: boolean;
  act(): Promise<void>;
}

export function errorBox(): HTMLElement {
  return h("div", { class: "fault", role: "alert", hidden: true });
}

export function showFault(box: HTMLElement, lines: string[]): void {
  box.hidden = lines.length === 0;
  const [first, ...rest] = lines;
  box.replaceChildren(h("p", {}, first ?? ""));
  if (rest.length) box.append(h("ul", {}, ...rest.map((line) => h("li", {}, line))));
}

/** A dialog with a title; it is removed from the page when it closes. */
export function openDialog(title: string, ...content: Node[]): HTMLDialogElement {
  const id = freshId("dialog");
  const dialog = h("dialog", { "aria-labelledby": id }, h("h2", { id }, title), ...content);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks for confirmation, runs the command, and stays open with the reason of a failure. */
export function ask(question: Question): void {
  const fault = errorBox();
  const no = button("Cancel", () => dialog.close(), { autofocus: true });
  const yes = button(question.confirm, () => void go(), {
    class: question.danger ? "danger" : "primary",
  });
  const body = question.body.map((part) => (typeof part === "string" ? h("p", {}, part) : part));
  const dialog = openDialog(
    question.title,
    ...body,
    fault,
    h("div", { class: "actions" }, no, yes),
  );
  async function go(): Promise<void> {
    yes.disabled = true;
    showFault(fault, []);
    try {
      await question.act();
      dialog.close();
    } catch (error) {
      showFault(fault, failureLines(error));
      yes.disabled = false;
    }
  }
}
