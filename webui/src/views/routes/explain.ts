// SPDX-License-Identifier: Apache-2.0
// Explains the route of a bundle of a given source, destination and size.
import { failureLines } from "../../api/problem";
import type { Explanation } from "../../api/types";
import { moment, parseTime } from "../../format/time";
import { bytes } from "../../format/units";
import { errorBox, showFault } from "../../ui/dialog";
import { h, numberField } from "../../ui/dom";
import type { Context } from "../context";
import { ownNumber } from "../context";

export function explainForm(context: Context): HTMLElement {
  const [fromBox, from] = numberField("explain-source", "From node");
  const [toBox, to] = numberField("explain-destination", "To node");
  const [sizeBox, size] = numberField("explain-size", "Bytes", "1");
  const fault = errorBox();
  const answer = h("div", { id: "explain-answer", "aria-live": "polite" });
  const form = h(
    "form",
    { class: "fields", novalidate: true },
    fromBox,
    toBox,
    sizeBox,
    h("button", { type: "submit" }, "Explain"),
  );
  from.addEventListener("focus", () => {
    if (!from.value && ownNumber(context)) from.value = String(ownNumber(context));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void ask();
  });

  async function ask(): Promise<void> {
    showFault(fault, []);
    answer.replaceChildren();
    const wrong = [from, to, size].find((input) => !/^[0-9]+$/.test(input.value.trim()));
    if (wrong) {
      const label = document.querySelector(`label[for="${wrong.id}"]`)?.textContent ?? "This";
      showFault(fault, [`${label}: enter a whole number, as 10.`]);
      wrong.focus();
      return;
    }
    try {
      const found = await context.rest.explain(
        from.value.trim(),
        to.value.trim(),
        size.value.trim(),
      );
      answer.append(...explanation(found, context.store.now()));
    } catch (error) {
      showFault(fault, failureLines(error));
    }
  }
  return h(
    "section",
    { class: "explain-box", "aria-label": "Explain a route" },
    h("h3", {}, "Explain the route of a bundle"),
    form,
    fault,
    answer,
  );
}

function explanation(found: Explanation, now: number): HTMLElement[] {
  const ways = (found.ways ?? []).map((way) => {
    const arrival = parseTime(way.arrival);
    const facts = [
      way.rule === "policy" && way.policy ? `policy ${way.policy}` : way.rule,
      way.nextHop === undefined ? undefined : `node ${way.nextHop}`,
      way.link === null || way.link === undefined ? "no link" : `link ${way.link}`,
      arrival === undefined ? undefined : `arrives ${moment(arrival, now)}`,
      way.roomBytes === undefined ? undefined : `room for ${bytes(way.roomBytes)}`,
    ]
      .filter(Boolean)
      .join(", ");
    return h(
      "li",
      { class: way.taken ? "taken" : null },
      h("span", {}, `${way.taken ? "taken: " : ""}${facts}`),
      way.why && way.why !== "taken" ? h("span", { class: "quiet" }, ` ${way.why}`) : null,
    );
  });
  const parts: HTMLElement[] = [
    h("p", { class: "outcome" }, found.outcome ?? "The node gives no reason."),
  ];
  if (ways.length) parts.push(h("ol", {}, ...ways));
  if (found.waitingBytes)
    parts.push(h("p", { class: "quiet" }, `${bytes(found.waitingBytes)} wait before it.`));
  return parts;
}
