// SPDX-License-Identifier: Apache-2.0
// Storage by disk, and what waits for each destination.
import type { DiskState, PendingState } from "../api/types";
import { moment, parseTime, span } from "../format/time";
import { bytes, DASH, exactCount, percent } from "../format/units";
import { byId, h, setAttribute, setClass, setText } from "../ui/dom";
import { Table } from "../ui/table";
import type { Context } from "./context";

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
  private readonly none = h("p", { class: "nothing" }, "No disks are known yet.");
  private readonly pending: Table<PendingState>;

  constructor(private readonly context: Context) {
    this.pending = this.pendingTable();
    const panel = byId("storage");
    panel.append(
      this.none,
      this.disks,
      h("h3", {}, "Waiting, by destination"),
      h(
        "div",
        {
          class: "scroll",
          role: "region",
          tabindex: "0",
          "aria-label": "Table of waiting bundles",
        },
        this.pending.element,
      ),
    );
    context.painter.add(panel, 500, () => this.paint());
  }

  private pendingTable(): Table<PendingState> {
    const { store } = this.context;
    return new Table<PendingState>(
      "Waiting bundles by destination",
      [
        {
          name: "destination",
          title: "Node",
          head: true,
          text: (one) => String(one.destination ?? DASH),
        },
        { name: "bundles", title: "Bundles", figure: true, text: (one) => exactCount(one.bundles) },
        { name: "bytes", title: "Size", figure: true, text: (one) => bytes(one.bytes) },
        {
          name: "expiry",
          title: "Next expiry",
          text: (one) => {
            const at = parseTime(one.nextExpiry);
            if (at === undefined) return DASH;
            return at > store.now()
              ? `in ${span(at - store.now())}, ${moment(at, store.now())}`
              : "due";
          },
        },
      ],
      "Nothing waits.",
    );
  }

  private paint(): void {
    const { storage, pending = {} } = this.context.store.state;
    const disks = storage?.disks ?? {};
    this.none.hidden = Object.keys(disks).length > 0;
    for (const [key, part] of this.parts) {
      if (key in disks) continue;
      part.box.remove();
      this.parts.delete(key);
    }
    for (const [key, disk] of Object.entries(disks))
      this.fill(this.parts.get(key) ?? this.make(key), key, disk);
    const waiting = Object.entries(pending)
      .filter(([, one]) => one.bundles !== 0)
      .sort(
        ([, a], [, b]) =>
          (b.bytes ?? 0) - (a.bytes ?? 0) || Number(a.destination) - Number(b.destination),
      )
      .map(([key, one]) => [key, { destination: key, ...one }] as const);
    this.pending.update(waiting);
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
