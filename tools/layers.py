#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include of the tree against the table in tools/layers.txt.

Prints `path:line: rule: why` for each include that the table does not allow, for each pair of
folders of the table that include each other, directly or in a circle, and for each folder of the
code that has more than 25 entries or no purpose in tools/folders.txt; exits 1 if there is one. An
include path starts at the root of the tree and names a file that exists, or one that CMake writes
from `FILE.in` there.
"""

import dataclasses
import functools
import pathlib
import re
import sys

from style.source import read_tree

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tools" / "layers.txt"
FOLDERS = ROOT / "tools" / "folders.txt"
CODE = ("common", "cla", "module", "cfdp", "apps")
MAX_ENTRIES = 25

ALWAYS = "common/base/"
EVERYTHING = "everything"
NOT_EVERYTHING = "tests/"
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"(?P<ours>[^"]+)"|<(?P<theirs>[^>]+)>|(?P<other>\S+))')
STANDARD = re.compile(r"[a-z_0-9]+")  # <vector>, <cstdint>: no dot, no folder


@functools.cache
def spelled(pattern):
    """A pattern of the table as a regular expression; a folder covers all that is in it."""
    expression = re.escape(pattern).replace(r"\*", ".*")
    expression = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", expression)
    return re.compile(expression + (".*" if pattern.endswith("/") else ""))


@dataclasses.dataclass(frozen=True)
class Row:
    files: str
    allowed: tuple

    def match(self, path):
        return spelled(self.files).fullmatch(path)

    def allows(self, path, found):
        """Whether a file of this row, found by match(), may include the file `path` of another."""
        for pattern in (ALWAYS,) + self.allowed:
            if pattern == EVERYTHING:
                if not path.startswith(NOT_EVERYTHING):
                    return True
                continue
            for name, value in found.groupdict().items():
                pattern = pattern.replace("{" + name + "}", value)
            if spelled(pattern).fullmatch(path):
                return True
        return False

    def allows_library(self, name):
        return f"+{name}" in self.allowed or EVERYTHING in self.allowed


class Table:
    def __init__(self, text):
        self.rows = []
        self.libraries = []
        for line in text.splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            left, colon, right = line.partition(":")
            if not colon:
                raise ValueError(f"no colon in the row `{line}`")
            words = left.split()
            if words[0] == "library":
                self.libraries += [(words[1], spelled(header)) for header in right.split()]
            else:
                self.rows.append(Row(words[0], tuple(right.split())))

    def row_of(self, path):
        for row in self.rows:
            if found := row.match(path):
                return row, found
        return None, None

    def folder_of(self, path):
        """The row of a file, with the names of its folders; None where no row covers it."""
        row, found = self.row_of(path)
        if row is None:
            return None
        name = row.files
        for key, value in found.groupdict().items():
            name = name.replace("{" + key + "}", value)
        return name

    def library_of(self, header):
        """The name of the library that `header` belongs to; empty when no row says so."""
        for name, expression in self.libraries:
            if expression.fullmatch(header):
                return name
        return ""

    def fault(self, path, include, exists):
        """(rule, why) when `path` may not include what the match `include` names, else None."""
        row, found = self.row_of(path)
        if row is None:
            return "layer", "no row of tools/layers.txt covers this file"
        if include["other"]:
            return "include", "spell the path; a macro cannot be checked"
        if ours := include["ours"]:
            if not exists(ours):
                return "include", f"no file {ours}: an include path starts at the root"
            if self.folder_of(ours) != self.folder_of(path) and not row.allows(ours, found):
                return "layer", f"{row.files} may not include {ours}; it may: {describe(row)}"
            return None
        theirs = include["theirs"]
        if STANDARD.fullmatch(theirs):
            return None
        library = self.library_of(theirs)
        if not library:
            return "layer", f"tools/layers.txt names no library with <{theirs}>"
        if not row.allows_library(library):
            return "layer", f"{row.files} may not use {library}; it may: {describe(row)}"
        return None


def describe(row):
    return " ".join((ALWAYS,) + row.allowed)


def violations(table, sources):
    """(path, line, rule, why) for each include of `sources` that the table does not allow."""
    sources = list(sources)
    paths = {source.path.removesuffix(".in") for source in sources}
    sources = [source for source in sources if source.language == "cpp"]
    for source in sources:
        for number, line in enumerate(source.lines, 1):
            include = INCLUDE.match(line)
            if include and (fault := table.fault(source.path, include, paths.__contains__)):
                yield source.path, number, *fault


def circles(table, sources):
    """(path, line, rule, why) for an include of each pair of folders that lead to each other."""
    leads = {}
    for source in sources:
        here = table.folder_of(source.path)
        if source.language != "cpp" or here is None or here.startswith(NOT_EVERYTHING):
            continue
        for number, line in enumerate(source.lines, 1):
            include = INCLUDE.match(line)
            there = include and include["ours"] and table.folder_of(include["ours"])
            if there and there != here:
                leads.setdefault(here, {}).setdefault(there, (source.path, number))
    for here, others in leads.items():
        for there, (path, number) in others.items():
            if way := way_back(leads, there, here):
                yield path, number, "circle", " -> ".join([here] + way)


def way_back(leads, start, end):
    """The folders from `start` to `end`, each of which includes the next; None without a path."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        if way[-1] == end:
            return way
        for there in leads.get(way[-1], ()):
            if there not in seen:
                seen.add(there)
                ways.append(way + [there])
    return None


def read_purposes(text):
    """The purpose of each folder, by its path."""
    lines = [line.partition(":") for line in text.splitlines() if line and line[0] != "#"]
    return {path.strip(): purpose.strip() for path, _, purpose in lines}


def folder_faults(paths, purposes):
    """(path, line, rule, why) for each folder of the code that is too full or has no purpose."""
    entries = {}
    for path in map(pathlib.PurePosixPath, paths):
        if path.parts[0] in CODE:
            for entry in (path, *path.parents[:-2]):
                entries.setdefault(entry.parent.as_posix(), set()).add(entry.name)
    for folder, names in sorted(entries.items()):
        if folder not in purposes:
            yield folder, 1, "folder", "tools/folders.txt has no purpose for it"
        if len(names) > MAX_ENTRIES:
            yield folder, 1, "folder", f"{len(names)} entries, at most {MAX_ENTRIES}"
    for folder in sorted(purposes.keys() - entries.keys()):
        yield "tools/folders.txt", 1, "folder", f"there is no folder {folder}"


def main():
    table = Table(TABLE.read_text(encoding="utf-8"))
    sources = list(read_tree(ROOT))
    purposes = read_purposes(FOLDERS.read_text(encoding="utf-8"))
    found = [*violations(table, sources), *circles(table, sources),
             *folder_faults([source.path for source in sources], purposes)]
    for path, line, rule, why in found:
        print(f"{path}:{line}: {rule}: {why}")
    print(f"layers: {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
