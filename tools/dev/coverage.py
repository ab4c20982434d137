#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the counts of a build with --coverage: how many lines of each folder of decoders ran.

    tools/dev/coverage.py --build build/coverage [--lines common/codec]

Fails when a folder is below LEAST percent, or has no lines. --lines names the lines of the files of
a folder that did not run.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

LEAST = 90
# The decoders: folders with their subfolders, and single files.
DECODERS = re.compile(r"common/(bp|codec)/|cla/\w+/core/|common/bus/wire\w*\.")


def gcov(root, files):
    """gcov's documents, one per object file."""
    for begin in range(0, len(files), 50):
        some = map(str, files[begin:begin + 50])
        done = subprocess.run(["gcov", "--json-format", "--stdout", *some], cwd=root, check=True,
                              capture_output=True, text=True)
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                yield json.loads(line)


def count(documents, root):
    """{path in the tree: {line: times run}}; a line of a header is in many documents."""
    counts = collections.defaultdict(collections.Counter)
    for document in documents:
        where = document.get("current_working_directory", ".")
        for file in document["files"]:
            name = os.path.relpath(os.path.join(where, file["file"]), root)
            if DECODERS.match(name):
                for line in file["lines"]:
                    counts[name][line["line_number"]] += line["count"]
    return counts


def by_folder(counts):
    """{folder: (lines that ran, lines)}"""
    folders = collections.defaultdict(lambda: [0, 0])
    for name, lines in counts.items():
        folder = folders[os.path.dirname(name)]
        folder[0] += sum(1 for times in lines.values() if times)
        folder[1] += len(lines)
    return {folder: tuple(found) for folder, found in sorted(folders.items())}


def report(folders):
    """The table, and whether each folder reaches LEAST percent."""
    rows, enough = [], bool(folders)
    for folder, (ran, lines) in folders.items():
        percent = 100 * ran / lines if lines else 0
        enough = enough and percent >= LEAST
        rows.append(f"{percent:6.1f} %  {ran:6d} of {lines:6d}  {folder}"
                    + ("" if percent >= LEAST else f"  BELOW {LEAST} %"))
    return rows, enough


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path.cwd())
    parser.add_argument("--lines", metavar="FOLDER", help="names lines that did not run")
    options = parser.parse_args()
    root = options.root.resolve()
    counts = count(gcov(root, sorted(options.build.resolve().rglob("*.gcda"))), root)
    rows, enough = report(by_folder(counts))
    print("\n".join(rows))
    for name, lines in sorted(counts.items()):
        if options.lines and name.startswith(options.lines):
            missed = [str(line) for line, times in sorted(lines.items()) if not times]
            print(f"{name}: {' '.join(missed) or '-'}")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
