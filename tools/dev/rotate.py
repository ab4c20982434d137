#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chooses one long check for a run of continuous integration: a fuzz target for a minute, or the
unit tests of one area under a sanitizer.

    tools/dev/rotate.py            the choice for this commit, as arguments of ./farlink-dev
    tools/dev/rotate.py --all      everything to choose from

The same commit always gets the same choice, so that a failure can be repeated.
"""

import argparse
import datetime
import hashlib
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Areas of unit tests whose code runs in more than one thread.
THREADED = ("bus", "cla", "control", "egress", "emulation", "ingress", "ltp", "router", "runtime",
            "scheduler", "session", "storage", "telemetry", "traffic")
# A program of unit tests in tests/CMakeLists.txt.
AREA = re.compile(r"^ *farlink_(?:unit_tests\(|tests\(unit_)(\w+)", re.MULTILINE)


def choices(root=ROOT):
    """All arguments of ./farlink-dev to choose from, always in the same order."""
    targets = sorted(file.stem for file in (root / "tests/fuzz").glob("*_fuzz.cpp"))
    areas = sorted(AREA.findall((root / "tests/CMakeLists.txt").read_text(encoding="utf-8")))
    return ([f"fuzz 1 {target}" for target in targets]
            + [f"sanitize asan unit_{area}" for area in areas]
            + [f"sanitize tsan unit_{area}" for area in areas if area in THREADED])


def key(root=ROOT):
    """The seed of a run: the commit, or the day where there is no history."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=False, capture_output=True,
                          text=True)
    return done.stdout.strip() if done.returncode == 0 else datetime.date.today().isoformat()


def choose(of, name):
    digest = hashlib.sha256(name.encode()).digest()
    return of[int.from_bytes(digest[:8], "big") % len(of)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--all", action="store_true", help="everything to choose from")
    options = parser.parse_args()
    print("\n".join(choices()) if options.all else choose(choices(), key()))


if __name__ == "__main__":
    main()
