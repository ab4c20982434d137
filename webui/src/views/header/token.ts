// SPDX-License-Identifier: Apache-2.0
// Enters a token: shows its role, or why it has none.
import { failureLines } from "../../api/problem";
import { errorBox, openDialog, showFault } from "../../ui/dialog";
import { button, h } from "../../ui/dom";
import type { Context } from "../context";

const ROLE_WORDS = {
  none: "This token gives no role.",
  applications: "This token may send and receive bundles.",
  read: "This token may read.",
  operate: "This token may read and operate.",
};

export function openTokenDialog(context: Context): void {
  const { session, rest, announcer } = context;
  const field = h("input", {
    type: "password",
    id: "token-field",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    autofocus: true,
  });
  const fault = errorBox();
  const enter = h("button", { type: "submit", class: "primary" }, "Use this token");
  const forget = button("Forget the token", () => {
    session.forget();
    dialog.close();
  });
  forget.hidden = !session.token;
  const form = h(
    "form",
    { method: "dialog", novalidate: true },
    h(
      "p",
      {},
      session.role && session.role !== "none"
        ? ROLE_WORDS[session.role]
        : "Commands need a token with the role operate. It stays in this tab until you close it.",
    ),
    h("label", { for: "token-field" }, "Token"),
    field,
    fault,
    h(
      "div",
      { class: "actions" },
      forget,
      button("Cancel", () => dialog.close()),
      enter,
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void use();
  });
  const dialog = openDialog("Token", form);

  async function use(): Promise<void> {
    const token = field.value.trim();
    if (!token) {
      showFault(fault, [
        "Enter a token.",
        "farlinkctl tokens make writes one to the file that the configuration names.",
      ]);
      return;
    }
    enter.disabled = true;
    try {
      const role = await session.enter(rest, token);
      announcer.say(ROLE_WORDS[role]);
      dialog.close();
    } catch (error) {
      showFault(fault, failureLines(error));
      enter.disabled = false;
      field.select();
    }
  }
}
