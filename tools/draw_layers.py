#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the folders of the code as docs/images/layers-*.svg, from tools/layers.txt and the purposes
in tools/folders.txt: tools/draw_layers.py [--check].

A box is a folder; what it includes lies below it. A line leads to each folder that it includes
directly; lines that follow from others are left out. With --check nothing is written, and a picture
that differs from the code is an error.
"""

import argparse
import html
import pathlib
import sys

from layers import FOLDERS, INCLUDE, ROOT, TABLE, Table, read_purposes
from style.source import read_tree

IMAGES = ROOT / "docs" / "images"
# name of a picture: title, the folder that all names begin with, and the folders it shows as boxes
# (each with all that is in it)
PICTURES = {
    "whole": ("farlink", "", (
        "common/base", "common/buffer", "common/codec", "common/bp", "common/config/fields",
        "common/config",
        "common/plan", "common/telemetry", "common/bus", "common/routing", "common/runtime",
        "common/files", "common/audit", "cla", "module/ingress", "module/egress", "module/storage",
        "module/scheduler", "module/router", "module/telemetry", "module/control", "cfdp", "apps")),
    "cla": ("Convergence layers (cla/)", "cla/", (
        "cla/api", "cla/io", "cla/tls", "cla/session", "cla/tcpcl/v3/core", "cla/tcpcl/v4/core",
        "cla/tcpcl/v3", "cla/tcpcl/v4", "cla/stcp/core", "cla/stcp", "cla/udp/core", "cla/udp",
        "cla/ltp/core", "cla/ltp", "cla/factory")),
    "storage": ("Storage (module/storage/)", "module/storage/", (
        "module/storage/disk", "module/storage/core/index", "module/storage/core/state",
        "module/storage/core/custody", "module/storage/core/release",
        "module/storage/core/upkeep", "module/storage/core/write", "module/storage/core",
        "module/storage/store/directory", "module/storage/store/log", "module/storage/store",
        "module/storage")),
}
WIDTH, HEIGHT, GAP, FLOOR, MARGIN, LETTER = 200, 70, 16, 112, 20, 5.9


def box_of(path, boxes):
    """The innermost box that contains a file; None outside of the picture."""
    parents = {parent.as_posix() for parent in pathlib.PurePosixPath(path).parents}
    inside = parents.intersection(boxes)
    return max(inside, key=len) if inside else None


def edges(table, sources, boxes):
    """The includes between boxes, from the code."""
    found = {box: set() for box in boxes}
    for source in sources:
        here = box_of(source.path, boxes)
        if here is None or source.language != "cpp" or table.row_of(source.path)[0] is None:
            continue
        for line in source.lines:
            include = INCLUDE.match(line)
            there = include and include["ours"] and box_of(include["ours"], boxes)
            if there and there != here:
                found[here].add(there)
    return found


def reachable(leads, start):
    seen, todo = set(), [start]
    while todo:
        for there in leads[todo.pop()]:
            if there not in seen:
                seen.add(there)
                todo.append(there)
    return seen


def reduced(leads):
    """The edges without those that follow from others."""
    return {here: {there for there in others
                   if not any(there in reachable(leads, other) for other in others - {there})}
            for here, others in leads.items()}


def floors(leads):
    """The boxes by height: each above all that it leads to."""
    height = {}

    def of(box):
        if box not in height:
            height[box] = 1 + max((of(there) for there in leads[box]), default=-1)
        return height[box]

    for box in leads:
        of(box)
    return [[box for box in leads if height[box] == floor]
            for floor in range(max(height.values()), -1, -1)]


def wrapped(text, width):
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def draw(title, prefix, boxes, leads, purposes):
    rows = floors(leads)
    wide = max(map(len, rows)) * (WIDTH + GAP) + 2 * MARGIN
    tall = len(rows) * FLOOR + 2 * MARGIN + 10
    place = {}
    for floor, row in enumerate(rows):
        row.sort(key=boxes.index)
        left = (wide - len(row) * (WIDTH + GAP) + GAP) / 2
        for at, box in enumerate(row):
            place[box] = (left + at * (WIDTH + GAP), MARGIN + 24 + floor * FLOOR)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" '
        'font-family="sans-serif">',
        f'<rect width="{wide}" height="{tall}" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="{MARGIN}" font-size="15" font-weight="bold">{title}</text>',
    ]
    for here in boxes:
        for there in sorted(leads[here], key=boxes.index):
            x1, y1 = place[here][0] + WIDTH / 2, place[here][1] + HEIGHT
            x2, y2 = place[there][0] + WIDTH / 2, place[there][1]
            middle = (y1 + y2) / 2
            lines.append(f'<path d="M{x1:.0f} {y1:.0f} C{x1:.0f} {middle:.0f} {x2:.0f} '
                         f'{middle:.0f} {x2:.0f} {y2:.0f}" fill="none" stroke="#8a97a6"/>')
    for box in boxes:
        x, y = place[box]
        lines.append(f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="4" '
                     'fill="#eef3f8" stroke="#44566b"/>')
        lines.append(f'<text x="{x + 8:.0f}" y="{y + 17:.0f}" font-size="12.5" '
                     f'font-weight="bold">{box.removeprefix(prefix)}</text>')
        for at, line in enumerate(wrapped(purposes[box], int((WIDTH - 16) / LETTER))[:3]):
            lines.append(f'<text x="{x + 8:.0f}" y="{y + 34 + at * 14:.0f}" font-size="11">'
                         f'{html.escape(line)}</text>')
    return "\n".join(lines + ["</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail when stale")
    options = parser.parse_args()
    table = Table(TABLE.read_text(encoding="utf-8"))
    purposes = read_purposes(FOLDERS.read_text(encoding="utf-8"))
    sources = list(read_tree(ROOT))
    stale = 0
    for name, (title, prefix, boxes) in PICTURES.items():
        leads = reduced(edges(table, sources, boxes))
        text = draw(title, prefix, boxes, leads, purposes)
        file = IMAGES / f"layers-{name}.svg"
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if options.check:
            print(f"{file.relative_to(ROOT)}: stale; tools/draw_layers.py draws it")
        else:
            file.write_text(text, encoding="utf-8")
            print(f"{file.relative_to(ROOT)}: drawn")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
