// SPDX-License-Identifier: Apache-2.0
// The picture of the node's flow: links in, ingress, storage or cut-through, egress, links out.
import { bitRate, bundleRate, bytes, count } from "../../format/units";
import { linkSeries } from "../../model/link_names";
import {
  linkName,
  linkWord,
  sendsOut,
  takesIn,
  WORD_CLASS,
  WORD_SIGN,
} from "../../model/link_state";
import { byId, h, setAttribute, setClass, setText, svg } from "../../ui/dom";
import type { Context } from "../context";
import { RowChoice, type FlowRows } from "./flow_links";
import { flowLayout, linkPath, type Box, type FlowLayout } from "./flow_layout";

type End = "in" | "out";

interface Row {
  key: string;
  group: SVGGElement;
  edge: SVGPathElement;
  name: SVGTextElement;
  rate: SVGTextElement;
}

/** 1 px for low rates, 5 px for 10 Gbit/s. */
export const strokeFor = (bits: number | undefined): number =>
  !bits ? 1 : Math.round(10 * Math.min(5, 1 + Math.max(0, Math.log10(bits) - 4) * 0.65)) / 10;

export class FlowView {
  private readonly picture = svg("svg", {
    class: "flow",
    role: "img",
    "aria-label": "Flow of bundles",
  });
  private readonly area = h("div", { class: "flow-area" }, this.picture);
  private readonly choices = { in: new RowChoice(), out: new RowChoice() };
  private built = "";
  private rows: Record<End, Row[]> = { in: [], out: [] };
  private rest: Partial<Record<End, SVGTextElement>> = {};
  private stageText: Record<string, SVGTextElement> = {};
  private edges: Record<string, SVGPathElement> = {};
  private described = 0;

  constructor(private readonly context: Context) {
    const panel = byId("flow");
    panel.append(this.area);
    new ResizeObserver(() => context.painter.now()).observe(this.area);
    context.painter.add(panel, 100, (now) => this.paint(now));
  }

  private paint(nowMs: number): void {
    const { store } = this.context;
    const links = store.state.links ?? {};
    const rate = (end: End) => (key: string) => store.bitRate(linkSeries(key)[end]) ?? 0;
    const into = this.choices.in.rows(links, takesIn, rate("in"), nowMs);
    const out = this.choices.out.rows(links, sendsOut, rate("out"), nowMs);
    const width = Math.floor(this.area.clientWidth);
    if (width < 100) return;
    const shape = JSON.stringify([width, into.keys, into.rest > 0, out.keys, out.rest > 0]);
    if (shape !== this.built) {
      this.built = shape;
      this.build(width, into, out);
    }
    this.fillLinks("in", into);
    this.fillLinks("out", out);
    this.fillStages();
    if (nowMs - this.described > 5_000) {
      this.described = nowMs;
      this.describe();
    }
  }

  private build(width: number, into: FlowRows, out: FlowRows): void {
    const layout = flowLayout(
      width,
      into.keys.length + (into.rest ? 1 : 0),
      out.keys.length + (out.rest ? 1 : 0),
    );
    setAttribute(this.picture, "width", layout.width);
    setAttribute(this.picture, "height", layout.height);
    setAttribute(this.picture, "viewBox", `0 0 ${layout.width} ${layout.height}`);
    this.picture.replaceChildren();
    this.rest = {};
    this.rows = {
      in: this.buildLinks("in", into, layout),
      out: this.buildLinks("out", out, layout),
    };
    this.buildStages(layout);
  }

  private buildLinks(end: End, { keys, rest }: FlowRows, layout: FlowLayout): Row[] {
    const boxes = end === "in" ? layout.linksIn : layout.linksOut;
    const stage = end === "in" ? layout.ingress : layout.egress;
    const rows = keys.map((key, place) => {
      const box = boxes[place]!;
      const last = end === "in" ? place === boxes.length - 1 : place === 0;
      const edge = svg("path", {
        class: "edge",
        d: linkPath(box, stage, end === "in", layout.wide),
      });
      // Where links are below each other, an edge joins only the nearest one to the stage.
      if (layout.wide || last) this.picture.append(edge);
      const name = svg("text", { x: box.x + 9, y: box.y + 17 });
      const rate = svg("text", {
        x: box.x + box.w - 9,
        y: box.y + 17,
        "text-anchor": "end",
        class: "rate",
      });
      const group = svg(
        "g",
        { "data-flow-link": `${end}.${key}` },
        svg("rect", { x: box.x + 0.5, y: box.y + 0.5, width: box.w - 1, height: box.h - 1, rx: 5 }),
        name,
        rate,
      );
      this.picture.append(group);
      return { key, group, edge, name, rate };
    });
    const box = boxes[keys.length];
    if (rest && box) {
      this.rest[end] = svg("text", { class: "note", x: box.x + 9, y: box.y + 17 });
      this.picture.append(this.rest[end]);
    }
    return rows;
  }

  private buildStages(layout: FlowLayout): void {
    this.stageText = {};
    const anchor = layout.wide ? "middle" : "start";
    for (const [name, edge] of Object.entries(layout.edges)) {
      this.edges[name] = svg("path", { class: "edge main", d: edge.path });
      this.stageText[name] = svg("text", {
        x: edge.x,
        y: edge.y,
        "text-anchor": anchor,
        class: "edge-label",
      });
      this.stageText[`${name}Name`] = svg("text", {
        x: edge.x,
        y: edge.y + (layout.wide ? 26 : 14),
        "text-anchor": anchor,
        class: "note",
      });
      this.picture.append(this.edges[name], this.stageText[name], this.stageText[`${name}Name`]!);
    }
    const titles = {
      cutThroughName: "cut through",
      storedName: "stored",
      releasedName: "released",
    };
    for (const [name, title] of Object.entries(titles)) setText(this.stageText[name]!, title);
    this.stage("ingress", "Ingress", layout.ingress);
    this.stage("storage", "Storage", layout.storage);
    this.stage("egress", "Egress", layout.egress);
  }

  private stage(name: string, title: string, box: Box): void {
    const middle = box.x + box.w / 2;
    const top = box.y + (box.h - 48) / 2;
    const line = (key: string, dy: number, cls: string): SVGTextElement =>
      (this.stageText[key] = svg("text", {
        x: middle,
        y: top + dy,
        "text-anchor": "middle",
        class: cls,
      }));
    this.picture.append(
      svg(
        "g",
        { class: "stage", "data-stage": name },
        svg("rect", { x: box.x + 0.5, y: box.y + 0.5, width: box.w - 1, height: box.h - 1, rx: 8 }),
        svg("text", { x: middle, y: top + 13, "text-anchor": "middle", class: "title" }, title),
        line(`${name}1`, 29, "rate"),
        line(`${name}2`, 44, "note"),
      ),
    );
  }

  private fillLinks(end: End, { rest, restUp, restBad }: FlowRows): void {
    const { store } = this.context;
    for (const { key, group, edge, name, rate } of this.rows[end]) {
      const link = store.state.links?.[key];
      if (!link) continue;
      const word = linkWord(link);
      const bits = store.bitRate(linkSeries(key)[end]);
      setClass(group, `link ${WORD_CLASS[word]}`);
      setText(name, `${WORD_SIGN[word]} ${linkName(key, link)}`);
      setText(
        rate,
        word === "up" || bits ? bitRate(bits) : word === "down by operator" ? "down" : word,
      );
      setClass(edge, `edge ${WORD_CLASS[word]}`);
      setAttribute(edge, "stroke-width", strokeFor(bits));
    }
    const line = this.rest[end];
    if (!line) return;
    const trouble = restBad ? `, ▲ ${restBad} in trouble` : "";
    setText(line, `and ${rest} further: ${restUp} up${trouble}`);
    setClass(line, restBad ? "note bad" : "note");
  }

  private fillStages(): void {
    const { store } = this.context;
    const { flow = {}, storage = {}, modules = {} } = store.state;
    const perSecond = (name: string): string => bundleRate(store.rates.perSecond(name));
    const text: Record<string, string> = {
      ingress1: bitRate(store.bitRate("in")),
      ingress2: perSecond("receivedBundles"),
      egress1: bitRate(store.bitRate("out")),
      egress2: perSecond("forwardedBundles"),
      storage1: `${count(storage.bundles)} bundles`,
      storage2: bytes(storage.bytes),
      cutThrough: perSecond("cutThroughBundles"),
      stored: perSecond("storedBundles"),
      released: perSecond("releasedBundles"),
    };
    for (const [name, value] of Object.entries(text)) setText(this.stageText[name]!, value);
    if (flow.inFlightBundles !== undefined)
      setAttribute(this.stageText["egress2"]!, "data-in-flight", flow.inFlightBundles);
    for (const stage of this.picture.querySelectorAll<SVGGElement>("[data-stage]")) {
      const state = modules[stage.dataset["stage"]!]?.state;
      setClass(stage, state === undefined || state === "ready" ? "stage" : "stage bad");
    }
    for (const name of ["cutThrough", "stored", "released"]) {
      const rate = store.rates.perSecond(`${name}Bundles`);
      setClass(this.edges[name]!, rate ? "edge main busy" : "edge main");
      setAttribute(
        this.edges[name]!,
        "stroke-width",
        rate ? Math.min(4.5, 1 + Math.log10(1 + rate) * 0.7).toFixed(1) : 1,
      );
    }
  }

  private describe(): void {
    const { store } = this.context;
    const links = Object.values(store.state.links ?? {});
    const up = links.filter((link) => link.up).length;
    setAttribute(
      this.picture,
      "aria-label",
      `Flow of bundles: ${up} of ${links.length} links up, ${bitRate(store.bitRate("in"))} in, ` +
        `${bitRate(store.bitRate("out"))} out, ` +
        `${count(store.state.storage?.bundles)} bundles in storage. ` +
        "The table of links has the figures of each link.",
    );
  }
}
