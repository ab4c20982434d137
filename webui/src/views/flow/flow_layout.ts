// SPDX-License-Identifier: Apache-2.0
// The positions of the parts of the flow picture: side by side where there is room, one below the
// other on a telephone.

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface FlowLayout {
  width: number;
  height: number;
  wide: boolean;
  linksIn: Box[];
  linksOut: Box[];
  ingress: Box;
  storage: Box;
  egress: Box;
  /** Paths of the edges, and positions of their figures. */
  edges: Record<"cutThrough" | "stored" | "released", { path: string; x: number; y: number }>;
}

const ROW = 26;
const GAP = 4;
const STAGE_H = 62;
export const WIDE_FROM = 880;

const midY = (box: Box): number => box.y + box.h / 2;
const midX = (box: Box): number => box.x + box.w / 2;
const right = (box: Box): number => box.x + box.w;
const bottom = (box: Box): number => box.y + box.h;

const column = (rows: number, x: number, top: number, w: number): Box[] =>
  Array.from({ length: rows }, (_unused, row) => ({ x, y: top + row * (ROW + GAP), w, h: ROW }));

const across = (x1: number, y1: number, x2: number, y2: number): string => {
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
};

/** The path from a link into ingress, or from egress to a link. */
export function linkPath(link: Box, stage: Box, into: boolean, wide: boolean): string {
  if (!wide)
    return into
      ? `M${midX(stage)} ${bottom(link)}V${stage.y}`
      : `M${midX(stage)} ${bottom(stage)}V${link.y}`;
  return into
    ? across(right(link), midY(link), stage.x, midY(stage))
    : across(right(stage), midY(stage), link.x, midY(link));
}

export function flowLayout(width: number, rowsIn: number, rowsOut: number): FlowLayout {
  return width >= WIDE_FROM
    ? wideLayout(width, rowsIn, rowsOut)
    : narrowLayout(width, rowsIn, rowsOut);
}

function wideLayout(width: number, rowsIn: number, rowsOut: number): FlowLayout {
  const linkW = Math.min(230, Math.max(184, width * 0.2));
  const rows = Math.max(rowsIn, rowsOut, 1);
  const height = Math.max(rows * (ROW + GAP) + GAP, 250);
  const stageW = Math.min(150, Math.max(112, width * 0.13));
  const gap = Math.max(48, (width - 2 * linkW) * 0.13);
  const upper = height * 0.34 - STAGE_H / 2;
  const lower = Math.min(height - STAGE_H - 8, upper + STAGE_H + 76);
  const ingress = { x: linkW + gap, y: upper, w: stageW, h: STAGE_H };
  const egress = { x: width - linkW - gap - stageW, y: upper, w: stageW, h: STAGE_H };
  const storage = { x: (width - stageW) / 2, y: lower, w: stageW, h: STAGE_H };
  const stageLevel = upper + STAGE_H / 2;
  // Level with the stages where there is room above.
  const top = (count: number): number => {
    const half = (count * (ROW + GAP) - GAP) / 2;
    return Math.max(0, Math.min(stageLevel, height - half) - half);
  };
  const down = midX(ingress);
  const up = midX(egress);
  const level = midY(storage);
  return {
    width,
    height,
    wide: true,
    ingress,
    storage,
    egress,
    linksIn: column(rowsIn, 0, top(rowsIn), linkW),
    linksOut: column(rowsOut, width - linkW, top(rowsOut), linkW),
    edges: {
      cutThrough: {
        path: `M${right(ingress)} ${midY(ingress)}H${egress.x}`,
        x: width / 2,
        y: midY(ingress) - 10,
      },
      stored: {
        path:
          `M${down} ${bottom(ingress)}V${level - 12}` +
          `Q${down} ${level} ${down + 12} ${level}H${storage.x}`,
        x: (down + storage.x) / 2 + 4,
        y: level - 10,
      },
      released: {
        path:
          `M${right(storage)} ${level}H${up - 12}` +
          `Q${up} ${level} ${up} ${level - 12}V${bottom(egress)}`,
        x: (up + right(storage)) / 2 - 4,
        y: level - 10,
      },
    },
  };
}

function narrowLayout(width: number, rowsIn: number, rowsOut: number): FlowLayout {
  const linksIn = column(rowsIn, 0, 0, width);
  const endIn = rowsIn * (ROW + GAP);
  const ingress = { x: 0, y: endIn + 14, w: width, h: 50 };
  const storage = { x: width * 0.5, y: bottom(ingress) + 46, w: width * 0.5, h: STAGE_H };
  const egress = { x: 0, y: bottom(storage) + 46, w: width, h: 50 };
  const linksOut = column(rowsOut, 0, bottom(egress) + 18, width);
  const left = width * 0.22;
  return {
    width,
    height: bottom(egress) + 18 + rowsOut * (ROW + GAP),
    wide: false,
    linksIn,
    linksOut,
    ingress,
    storage,
    egress,
    edges: {
      cutThrough: {
        path: `M${left} ${bottom(ingress)}V${egress.y}`,
        x: left + 8,
        y: midY(storage),
      },
      stored: {
        path: `M${midX(storage)} ${bottom(ingress)}V${storage.y}`,
        x: midX(storage) + 8,
        y: storage.y - 25,
      },
      released: {
        path: `M${midX(storage)} ${bottom(storage)}V${egress.y}`,
        x: midX(storage) + 8,
        y: egress.y - 25,
      },
    },
  };
}
