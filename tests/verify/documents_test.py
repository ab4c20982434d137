#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every block of the documents is what the comment before it says (tools/documents.py).

Blocks of commands run as they stand there, each in a folder of its own that looks like a clone, on
a network of its own where the hosts of the guide are this machine; the comment names what is there
before it (the functions `setup_...` of document_setups.py). What they print is compared with the
block behind them, and each configuration is checked. `--marks` runs nothing: it checks that each
block has its comment.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import document_setups
from document_place import ROOT, Place
from documents import blocks_of, documents, faults, is_shown, programs, valid_json

SETUPS = {name.removeprefix("setup_") for name in dir(document_setups) if name.startswith("setup_")}
# What a configuration that is shown in part has besides.
REST = {"myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:5599"}]}


def check_marks():
    wrong, names = 0, programs()
    for name in documents():
        text = (ROOT / name).read_text(encoding="utf-8")
        for place, fault in faults(name, text, SETUPS, names):
            wrong += 1
            print(f"{place}: {fault}")
    return 1 if wrong else 0


def commands(text):
    """The block's commands, continued lines put together, without remarks."""
    lines = re.sub(r" *\\\n *", " ", text).splitlines()
    return [line for line in (re.sub(r"(^|\s+)# .*$", "", line).rstrip() for line in lines) if line]


def check_configuration(place, text):
    values = valid_json(place.here(text))
    if "contacts" in values:
        words = "farlinkctl plan check shown.json"
    elif "entityId" in values:
        words = "farlink-cfdpd --check --config shown.json"
    else:
        words = "farlink --check --config shown.json"
        if "url" in values:
            values = {"outductsConfig" if "nextHopNodeId" in values else "inductsConfig": [values]}
        values = REST | values
    (place.folder / "shown.json").write_text(json.dumps(values), encoding="utf-8")
    place.run(words)


def run_cpp(place, text):
    """Compiles the part of a program."""
    includes = "".join(re.findall(r"#include.*\n", text))
    (place.folder / "shown.cpp").write_text(
        f"{includes}template <class Error> int report(const Error &error);\nint shown() {{\n"
        f"{re.sub(r'#include.*', '', text)}\nreturn 0;\n}}\n", encoding="utf-8")
    place.run(f"c++ -std=c++20 -fsyntax-only -I{ROOT}/clients/cpp/include shown.cpp")


def run_in(place, block):
    if block.kind == "console":
        place.talk(block.text, bool(block.mark["numbers"]))
    elif block.kind == "python":
        (place.folder / "shown.py").write_text(block.text, encoding="utf-8")
        place.run("python3 shown.py")
    elif block.kind == "cpp":
        run_cpp(place, block.text)
    elif block.kind == "json":
        check_configuration(place, block.text)
    else:
        place.run_all(commands(block.text))


def run_block(build, block):
    """(command, what it printed) of each."""
    with tempfile.TemporaryDirectory(prefix="farlink-doc-") as name:
        place = Place(build, pathlib.Path(name))
        try:
            for setup in block.setups() if block.sort else []:
                getattr(document_setups, f"setup_{setup}")(place)
            run_in(place, block)
        finally:
            place.end()
        return place.said


def compare(block, said):
    command = block.mark["of"]
    got = [text for line, text in said if line.startswith(command or "")]
    if command:
        got = got[:1]
    if not is_shown(block.text, "".join(got), bool(block.mark["numbers"])):
        raise AssertionError(f"{command or 'the block'} says\n{''.join(got)}and not\n{block.text}")


class Run:
    def __init__(self, options):
        self.options, self.said = options, []
        self.passed = self.failed = 0

    def attempt(self, block, work):
        try:
            self.said = work() or self.said
            self.passed += 1
            print(f"{block.place}: passed", flush=True)
        except (AssertionError, OSError, RuntimeError, ValueError,
                subprocess.SubprocessError) as error:
            self.failed += 1
            print(f"{block.place}: FAILED: {error}", flush=True)

    def take(self, block):
        build = self.options.build.resolve()
        if block.sort == "commands" or block.kind == "json" and not block.sort:
            self.said = self.said if block.kind == "json" else []
            self.attempt(block, lambda: run_block(build, block))
        elif block.sort == "output":
            self.attempt(block, lambda: compare(block, self.said))
        elif block.sort == "commands not run":
            print(f"{block.place}: not run: {block.mark['why']}", flush=True)


def in_own_network():
    """Starts this program again with a network, hosts and a /run of its own."""
    if os.environ.get("FARLINK_OWN_NETWORK"):
        return
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    with tempfile.NamedTemporaryFile("w", suffix="-hosts") as hosts:
        script = (f'ip link set lo up && mount --bind {hosts.name} /etc/hosts && '
                  'mount -t tmpfs run /run && exec "$@"')
        sys.exit(subprocess.run(
            ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child",
             "--mount-proc", "sh", "-c", script, "sh", sys.executable, *sys.argv],
            env={**os.environ, "FARLINK_OWN_NETWORK": "1"}, check=False).returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--marks", action="store_true", help="run nothing")
    parser.add_argument("--only", default="", help="blocks of documents that begin so")
    options = parser.parse_args()
    if options.marks:
        return check_marks()
    in_own_network()
    run = Run(options)
    for name in documents():
        if name.startswith(options.only):
            for block in blocks_of(name, (ROOT / name).read_text(encoding="utf-8")):
                run.take(block)
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed or check_marks() else 0


if __name__ == "__main__":
    sys.exit(main())
