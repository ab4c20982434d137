// SPDX-License-Identifier: Apache-2.0
// Storage by disk, and below stored bundles by destination.
import type { DiskState } from "../../api/types";
import { bytes, DASH, percent } from "../../format/units";
import { byId, h, setAttribute, setClass, setText } from "../../ui/dom";
import type { Context } from "../context";
import { OldFigures } from "../old_figures";
import { StoredBundlesView } from "./bundles";
import { ForecastView } from "./forecast_table";
import { WaitingView } from "./waiting";

interface DiskParts {
  box: HTMLElement;
  title: HTMLElement;
  figure: HTMLElement;
  meter: HTMLElement;
  level: HTMLElement;
}

export class StorageView {
  private readonly disks = h("div", { class: "disks" });
  private readonly parts = new Map<string, DiskParts>();
  private readonly old = new OldFigures(["storage"]);
  private readonly none = h("p", { class: "nothing" }, "No disks reported yet.");
  private readonly waiting: WaitingView;
  private readonly forecast: ForecastView;
  private readonly bundles: StoredBundlesView;

  constructor(private readonly context: Context) {
    this.bundles = new StoredBundlesView(context);
    this.forecast = new ForecastView(context);
    this.waiting = new WaitingView(context, (node) => this.bundles.show(node));
    const panel = byId("storage");
    const { parts } = this.waiting;
    panel.append(this.old.element, this.none, this.disks, ...parts);
    panel.append(...this.forecast.parts, this.bundles.element);
    context.painter.add(panel, 500, (now) => this.paint(now));
  }

  private paint(now: number): void {
    this.old.paint(this.context.store.state);
    const { storage } = this.context.store.state;
    const disks = storage?.disks ?? {};
    this.none.hidden = Object.keys(disks).length > 0;
    for (const [key, part] of this.parts) {
      if (key in disks) continue;
      part.box.remove();
      this.parts.delete(key);
    }
    for (const [key, disk] of Object.entries(disks))
      this.fill(this.parts.get(key) ?? this.make(key), key, disk);
    this.waiting.paint();
    this.forecast.paint(now);
    this.bundles.paint();
  }

  private make(key: string): DiskParts {
    const title = h("span");
    const figure = h("span", { class: "figure" });
    const level = h("div");
    const meter = h(
      "div",
      {
        class: "meter",
        role: "meter",
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "aria-label": `Disk ${key} used, per cent`,
      },
      level,
    );
    const box = h("div", { class: "disk", "data-disk": key }, h("p", {}, title, figure), meter);
    this.disks.append(box);
    const part = { box, title, figure, meter, level };
    this.parts.set(key, part);
    return part;
  }

  private fill(
    { box, title, figure, meter, level }: DiskParts,
    key: string,
    disk: DiskState,
  ): void {
    const well = disk.state === undefined || disk.state === "ok";
    const { usedBytes: used, capacityBytes: capacity } = disk;
    const part = used !== undefined && capacity ? used / capacity : 0;
    setClass(box, well ? (part > 0.9 ? "disk warn" : "disk") : "disk bad");
    setText(
      title,
      [
        well ? "" : "▲ ",
        `Disk ${key}`,
        disk.path ? ` · ${disk.path}` : "",
        well ? "" : `: ${disk.state}`,
      ].join(""),
    );
    const share = percent(used, capacity);
    setText(figure, `${bytes(used)} of ${bytes(capacity)}${share === DASH ? "" : `, ${share}`}`);
    const width = `${(100 * part).toFixed(1)}%`;
    if (level.style.width !== width) level.style.width = width;
    setAttribute(meter, "aria-valuenow", Math.round(100 * part));
  }
}
