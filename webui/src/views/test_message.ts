// SPDX-License-Identifier: Apache-2.0
// Sends a message to an endpoint, and shows the next one that waits at an endpoint. Only for those
// whose token may send and receive.
import { failureLines } from "../api/problem";
import type { ReceivedBundle } from "../api/types";
import { messageText } from "../model/endpoints";
import { errorBox, showFault } from "../ui/dialog";
import { button, h } from "../ui/dom";
import type { Context } from "./context";
import { ownNumber } from "./context";

/** A dynamic service, with which this page sends unless another one is entered. */
const SERVICE = 1_999;

function textField(id: string, label: string): [HTMLElement, HTMLInputElement] {
  const input = h("input", { id, required: true, autocomplete: "off", spellcheck: "false" });
  return [h("div", {}, h("label", { for: id }, label), input), input];
}

export function testMessage(context: Context): HTMLElement {
  const box = h(
    "section",
    { class: "explain-box", "aria-label": "Test message", hidden: true },
    h("h3", {}, "Test message"),
    sendForm(context),
    receiveForm(context),
  );
  const show = (): void => {
    const { role } = context.session;
    box.hidden = role !== "operate" && role !== "applications";
  };
  context.session.onChange(show);
  show();
  return box;
}

function sendForm(context: Context): HTMLElement {
  const [fromBox, from] = textField("message-source", "From endpoint");
  const [toBox, to] = textField("message-destination", "To endpoint");
  const [textBox, text] = textField("message-text", "Text");
  const form = actionForm([fromBox, toBox, textBox], "Send", async (answer) => {
    const id = await context.rest.sendBundle(from.value.trim(), to.value.trim(), text.value);
    answer.append(h("p", { class: "outcome" }, `Accepted: ${id}`));
    context.announcer.say("The message is accepted");
  });
  from.addEventListener("focus", () => {
    if (!from.value && ownNumber(context)) from.value = `ipn:${ownNumber(context)}.${SERVICE}`;
  });
  return form;
}

function receiveForm(context: Context): HTMLElement {
  const [box, endpoint] = textField("message-endpoint", "Next message at endpoint");
  return actionForm([box], "Show", async (answer) => {
    const found = await context.rest.receiveBundle(endpoint.value.trim());
    if (!found) answer.append(h("p", { class: "outcome" }, "No message waits there."));
    else answer.append(...received(context, found, answer));
  });
}

function received(context: Context, found: ReceivedBundle, answer: HTMLElement): HTMLElement[] {
  const fault = errorBox();
  const accept = button("Accept", () => void take());
  async function take(): Promise<void> {
    accept.disabled = true;
    try {
      await context.rest.acceptLease(found.lease);
      answer.replaceChildren(h("p", { class: "outcome" }, `Accepted: ${found.id}`));
    } catch (error) {
      showFault(fault, failureLines(error));
    }
  }
  return [
    h("p", {}, `${found.id}${found.repeated ? ", given before" : ""}`),
    h("pre", { class: "message" }, messageText(found.payload)),
    h(
      "p",
      { class: "quiet" },
      `Unless it is accepted within ${found.leaseSeconds} s, it is given again.`,
    ),
    accept,
    fault,
  ];
}

/** A form whose action fills the answer below it, or fails with a reason. */
function actionForm(
  fields: HTMLElement[],
  label: string,
  act: (answer: HTMLElement) => Promise<void>,
): HTMLElement {
  const fault = errorBox();
  const answer = h("div", { "aria-live": "polite" });
  const go = h("button", { type: "submit" }, label);
  const form = h("form", { class: "fields", novalidate: true }, ...fields, go);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  async function run(): Promise<void> {
    showFault(fault, []);
    answer.replaceChildren();
    go.disabled = true;
    try {
      await act(answer);
    } catch (error) {
      showFault(fault, failureLines(error));
    }
    go.disabled = false;
  }
  return h("div", {}, form, fault, answer);
}
