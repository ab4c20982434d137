#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every block of commands in the README and the guide is run as it stands there.

The line before a block says how, in a comment that readers do not see: `<!-- commands: SETUP...
-->` names what is there before it (the functions `setup_...` of document_setups.py), `<!-- commands
not run: REASON -->` says why not, and who tests it instead. Blocks of the kind `console` have the
answers, too. `--marks` only checks that each block has such a line.

Each block runs in a folder of its own that looks like a clone, on a network of its own where the
hosts of the guide are this machine.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import document_setups
from document_setups import ROOT, Place

DOCUMENTS = ["README.md", "docs/interop.md", "docs/walkthrough.md", "CONTRIBUTING.md"]
BLOCK = re.compile(r"^(?P<before>[^\n]*)\n(?:\n)?```(?P<kind>sh|bash|console)\n(?P<text>.*?)^```",
                   re.MULTILINE | re.DOTALL)
SETUP = re.compile(r"<!-- commands:(?P<names>[\w ]*)-->")
NOT_RUN = re.compile(r"<!-- commands not run: (?P<why>.+?) -->")


def documents():
    guide = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs/guide").glob("*.md"))
    return DOCUMENTS + guide


def blocks():
    """(place, kind, commands, the names of its setups or None, why it is not run)."""
    for name in documents():
        text = (ROOT / name).read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            place = f"{name}:{text.count(chr(10), 0, found.start('text'))}"
            setup, reason = SETUP.search(found["before"]), NOT_RUN.search(found["before"])
            yield (place, found["kind"], found["text"], setup and setup["names"].split(),
                   reason and reason["why"])


def check_marks():
    known = {name.removeprefix("setup_") for name in dir(document_setups)}
    wrong = [place for place, _, _, setups, why in blocks()
             if setups is None and not why or not set(setups or ()) <= known]
    for place in wrong:
        print(f"{place}: the line before the block says neither how its commands run nor why not")
    return 1 if wrong else 0


def commands(text):
    """The block's commands, continued lines put together, without remarks."""
    lines = re.sub(r" *\\\n *", " ", text).splitlines()
    return [line for line in (re.sub(r"(^|\s+)# .*$", "", line).rstrip() for line in lines) if line]


def dialogue(text):
    """(command, what it prints) of a console's block."""
    found = re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", text, re.MULTILINE)
    return [(command, said) for command, said in found]


def run_block(build, kind, text, setups):
    with tempfile.TemporaryDirectory(prefix="farlink-doc-") as name:
        place = Place(build, pathlib.Path(name))
        try:
            for setup in setups:
                getattr(document_setups, f"setup_{setup}")(place)
            if kind == "console":
                for command, said in dialogue(text):
                    place.expect(command, said)
            else:
                place.run_all(commands(text))
        finally:
            place.end()


def in_own_network():
    """Starts this program again with a network and hosts of its own."""
    if os.environ.get("FARLINK_OWN_NETWORK"):
        return
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    with tempfile.NamedTemporaryFile("w", suffix="-hosts") as hosts:
        script = f'ip link set lo up && mount --bind {hosts.name} /etc/hosts && exec "$@"'
        sys.exit(subprocess.run(
            ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child",
             "--mount-proc", "sh", "-c", script, "sh", sys.executable, *sys.argv],
            env={**os.environ, "FARLINK_OWN_NETWORK": "1"}, check=False).returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--marks", action="store_true", help="run nothing")
    parser.add_argument("--only", default="", help="blocks of places that begin so")
    options = parser.parse_args()
    if options.marks:
        return check_marks()
    in_own_network()
    failed = ran = 0
    for place, kind, text, setups, why in blocks():
        if not place.startswith(options.only):
            continue
        if setups is None:
            print(f"{place}: not run: {why}", flush=True)
            continue
        ran += 1
        try:
            run_block(options.build.resolve(), kind, text, setups)
            print(f"{place}: passed", flush=True)
        except (AssertionError, OSError, RuntimeError, subprocess.SubprocessError) as error:
            failed += 1
            print(f"{place}: FAILED: {error}", flush=True)
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed or check_marks() else 0


if __name__ == "__main__":
    sys.exit(main())
