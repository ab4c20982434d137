#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the house style of every file in the tree: tools/tidy.py [file...].

Prints `path:line: rule: what to use instead` for each violation and exits 1 if there is one.
A line that starts with `warning:` in place of the rule does not fail.
"""

import pathlib
import sys

from style.classes import EXCEPTIONS, check_classes
from style.rules import check
from style.source import read_tree
from style.words import GLOSSARY, check_words, read_words

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main(names):
    wanted = {pathlib.Path(name).resolve().relative_to(ROOT).as_posix() for name in names}
    tree = list(read_tree(ROOT))
    words = read_words((ROOT / GLOSSARY).read_text(encoding="utf-8"))
    found = [(source.path, *violation) for source in tree
             for violation in (*check(source), *check_words(source, words))]
    found += check_classes(tree)
    failures = 0
    for path, line, rule, instead in sorted(found):
        if wanted and path not in wanted:
            continue
        failures += not rule.startswith("warning:")
        print(f"{path}:{line}: {rule}: {instead}")
    files = len(wanted) or len(tree)
    print(f"tidy: {files} files, {failures} violations, {len(EXCEPTIONS)} classes excepted")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
