#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks commit messages: `area: verb ...`, imperative, at most 72 characters, a blank line before
the body, and no merges.

    tools/commit_messages.py                  every commit since this check exists
    tools/commit_messages.py --message FILE   one message before its commit
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 72
SKIPPED = 77
SUBJECT = re.compile(r"(?P<area>[\w./, -]+): (?P<verb>[\w-]+)\b.*")
# First words that are not a verb in the imperative. Other words that end in -ing, -ed or -s are
# not either, except those in VERBS.
NOT_VERBS = frozenset(
    "a an all any both each every it its no none nothing one only that the their there these they "
    "this those to two we what when where whether which who why".split())
VERBS = frozenset(
    "access address bring compress cross discuss embed express feed focus guess need pass press "
    "process proceed seed speed string".split())


def faults(message):
    """The faults of a message."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    if len(subject) > MOST:
        yield f"the subject has {len(subject)} characters, at most {MOST}"
    found = SUBJECT.fullmatch(subject)
    if not found:
        yield "the subject is not of the form `area: verb ...`"
    elif not is_imperative(found["verb"]):
        yield f"`{found['verb']}` is not a verb in the imperative"
    if len(lines) > 1 and lines[1].strip():
        yield "no blank line behind the subject"


def is_imperative(word):
    word = word.lower()
    return word in VERBS or (word not in NOT_VERBS and not re.search(r"(ing|ed|[^s]s)$", word))


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout


def history():
    """(name, number of parents, message) of each commit since this file exists."""
    path = pathlib.Path(__file__).resolve().relative_to(ROOT).as_posix()
    first = git("log", "--format=%H", "--diff-filter=A", "--", path).split()
    span = f"{first[-1]}..HEAD" if first else "HEAD..HEAD"
    for record in git("log", "--format=%h %p%n%B%x00", span).split("\0"):
        head, _, message = record.strip("\n").partition("\n")
        if head:
            yield head.split()[0], len(head.split()) - 1, message


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--message", metavar="FILE", help="one message instead of the history")
    options = parser.parse_args()
    if options.message:
        text = pathlib.Path(options.message).read_text(encoding="utf-8")
        wrong = [("this commit", why) for why in faults(text)]
    elif not (ROOT / ".git").exists():
        print("no history here")
        return SKIPPED
    else:
        wrong = []
        for name, parents, message in history():
            wrong += [(name, why) for why in faults(message)]
            wrong += [(name, "a merge; rebase instead")] if parents > 1 else []
    for name, why in wrong:
        print(f"{name}: {why}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
