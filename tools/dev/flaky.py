#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Distinguishes tests that fail sometimes from tests that fail always.

`rerun --build FOLDER` runs each test that failed in the latest run of ctest alone, twice. One that
passes both times is flaky: it is printed as `flaky: NAME`, noted in FOLDER/../flaky.txt, and does
not fail the run. The exit code is 0 only when all of them are flaky. After more failures than LIMIT
none is run again.

`check --build FOLDER` fails while a test is in that file or in tests/flaky.txt. Remove the line
after the repair of the cause.
"""

import argparse
import pathlib
import subprocess
import sys

LIMIT = 10  # failures that are run again
ATTEMPTS = 2
LISTED = pathlib.Path(__file__).resolve().parents[2] / "tests/flaky.txt"


def failed_tests(build):
    """(number, name) of each test that failed in ctest's latest run."""
    log = build / "Testing/Temporary/LastTestsFailed.log"
    lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else []
    return [tuple(line.split(":", 1)) for line in lines if ":" in line]


def passes_alone(build, number):
    return subprocess.run(
        ["ctest", "--test-dir", str(build), "-I", f"{number},{number}", "--output-on-failure",
         "--timeout", "600", "--no-tests=error"],
        stdout=sys.stderr, check=False).returncode == 0


def note_file(build):
    return build.parent / "flaky.txt"


def names_in(file):
    """The first word of each line that is not a comment."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def note(build, name):
    if name not in names_in(note_file(build)):
        with open(note_file(build), "a", encoding="utf-8") as file:
            file.write(name + "\n")


def rerun(build):
    failed = failed_tests(build)
    if not failed:
        return 1  # ctest failed before it had run a test
    if len(failed) > LIMIT:
        print(f"{len(failed)} tests failed: more than {LIMIT} are not run again")
        return 1
    status = 0
    for number, name in failed:
        if all(passes_alone(build, number) for _ in range(ATTEMPTS)):
            note(build, name)
            print(f"flaky: {name}", flush=True)
        else:
            print(f"failed again: {name}", flush=True)
            status = 1
    return status


def check(build, listed):
    found = 0
    for file in (listed, note_file(build)):
        for name in names_in(file):
            print(f"flaky: {name} (in {file}; repair its cause, then remove the line)")
            found += 1
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("rerun", "check"))
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a preset's folder")
    parser.add_argument("--listed", type=pathlib.Path, default=LISTED, help=str(LISTED.name))
    options = parser.parse_args()
    build = options.build.resolve()
    return rerun(build) if options.command == "rerun" else check(build, options.listed)


if __name__ == "__main__":
    sys.exit(main())
