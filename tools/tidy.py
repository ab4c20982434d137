#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the house style of every file in the tree: tools/tidy.py [file...].

Prints `path:line: rule: what to use instead` for each violation and exits 1 if there is one.
A line that starts with `warning:` in place of the rule does not fail.
"""

import pathlib
import sys

from style.rules import check
from style.source import read_tree
from style.words import GLOSSARY, check_words, read_words

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main(names):
    wanted = {pathlib.Path(name).resolve().relative_to(ROOT).as_posix() for name in names}
    words = read_words((ROOT / GLOSSARY).read_text(encoding="utf-8"))
    files = failures = 0
    for source in read_tree(ROOT):
        if wanted and source.path not in wanted:
            continue
        files += 1
        for line, rule, instead in sorted([*check(source), *check_words(source, words)]):
            failures += not rule.startswith("warning:")
            print(f"{source.path}:{line}: {rule}: {instead}")
    print(f"tidy: {files} files, {failures} violations")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
