#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hour of docs/guide/tutorial.md, step by step, with the commands that stand there."""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from document_place import ROOT
from documents import blocks_of, is_shown
from documents_test import commands, in_own_network
from program import Program

LIMIT_S = 60
DOCUMENT = "docs/guide/tutorial.md"
BLOCKS = list(blocks_of(DOCUMENT, (ROOT / DOCUMENT).read_text(encoding="utf-8")))
# In the terminal of a reader: the build, the folder, and the end of a node.
BY_HAND = ("./farlink-dev run", "ninja ", "mkdir ", "cp ", "export ", "kill -9 ")
EARTH, MOON = "farlink --config earth.json", "farlink --config moon.json"
EMULATOR = ("linkemu --delay 1.3s --rate 10M --back-rate 2M udp --near 127.0.0.1:4003 "
            "--listen 127.0.0.1:4001 --from 127.0.0.1:4004 --to 127.0.0.1:4002")
SINK = "bpsink --eid ipn:3.1 --listen tcpclv4://127.0.0.1:4562 --until-complete"


def documented():
    """The commands of the tutorial, and what one of them prints."""
    found = {}
    for block in BLOCKS:
        if block.kind == "console":
            command, _, shown = block.text.removeprefix("$ ").partition("\n")
            found[command] = shown
        elif block.kind == "sh":
            found |= {line.removesuffix(" &"): None for line in commands(block.text)
                      if not line.startswith(BY_HAND)}
    return found


class Hour:
    def __init__(self, programs, folder):
        self.folder, self.running, self.left = folder, [], documented()
        self.commands = dict(self.left)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        self.pause = threading.Event()  # is never set: between two looks
        for file in (ROOT / "config/examples/tutorial").glob("*.json"):
            shutil.copy(file, folder)

    def take(self, command):
        """Marks a command as played."""
        if command not in self.commands:
            raise AssertionError(f"{DOCUMENT} does not have: {command}")
        self.left.pop(command, None)

    def start(self, command, mark):
        self.take(command)
        # `exec` so that a signal reaches the program.
        program = Program(command, ["bash", "-c", f'cd "$0" && PATH="$1" && exec {command}',
                                    str(self.folder), self.environment["PATH"]])
        self.running.append(program)
        program.wait_line(program.err, lambda line: mark in line or None, LIMIT_S)
        return program

    def run(self, command):
        self.take(command)
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True,
                              env=self.environment, text=True, timeout=LIMIT_S, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stderr}")
        shown = self.commands[command]
        if shown and not is_shown(shown, done.stdout, True):
            raise AssertionError(f"{command} says\n{done.stdout}and not\n{shown}")
        return done.stdout

    def until(self, command, pattern):
        """Runs the command until its output matches."""
        end = time.monotonic() + LIMIT_S
        while not re.search(pattern, said := self.run(command)):
            if time.monotonic() > end:
                raise AssertionError(f"{command}: no {pattern} in\n{said}")
            self.pause.wait(0.2)

    def end(self):
        for program in self.running:
            program.end(signal.SIGKILL, LIMIT_S)


def received(program, bundles):
    """The sink ends by itself, and has everything."""
    program.process.wait(LIMIT_S)
    code = program.end(signal.SIGTERM, LIMIT_S)
    said = "".join(program.err_kept) + "\n".join(program.out.queue)
    if code != 0 or f"received {bundles} bundles, 0 lost" not in said:
        raise AssertionError(f"{program.name}: exit code {code}\n{said}")


def send(hour, bundles):
    hour.run("bpgen --from ipn:11.1 --to ipn:3.1 --via tcpclv4://127.0.0.1:4561 "
             f"--bundles {bundles} --bundle-size 1000")


def play(hour):
    hour.run("farlink --config earth.json --check")
    emulator = hour.start(EMULATOR, "udp 127.0.0.1:4001")
    earth = hour.start(EARTH, "ready: ")
    hour.start(MOON, "ready: ")
    if "2 sent, 2 received" not in hour.run("farlinkctl ping 2 --config earth.json --count 2"):
        raise AssertionError("an echo is missing")
    sink = hour.start(SINK, "listening on")
    send(hour, 1000)
    received(sink, 1000)

    # The reports of the last blocks are on their way for 1.3 s more.
    hour.until("farlinkctl storage show --config earth.json", "^0 bundles")
    hour.run("farlinkctl plan change 0 --start 3600 --config earth.json")
    hour.until("farlinkctl status --config earth.json", "no contact")
    sink = hour.start(SINK, "listening on")
    send(hour, 2000)
    hour.until("farlinkctl storage show --config earth.json", r"2000 bundles.*for 1 dest")
    explained = hour.run("farlinkctl routes explain 1 3 --config earth.json")
    if "the bundle waits in storage" not in explained:
        raise AssertionError("routes explain does not say that the bundle waits")

    earth.end(signal.SIGKILL, LIMIT_S)
    hour.start(EARTH, "ready: ")
    hour.until("farlinkctl storage show --config earth.json", "2000 bundles")
    if "plan change" not in hour.run("farlinkctl plan history --config earth.json"):
        raise AssertionError("the plan's history has no line of the change")
    hour.run("farlinkctl plan change 0 --start 0 --config earth.json")
    hour.run("farlinkctl top --config earth.json")
    received(sink, 2000)

    emulator.end(signal.SIGINT, LIMIT_S)
    lossy = EMULATOR.replace("linkemu", "linkemu --loss 0.2")
    hour.commands[lossy] = None
    hour.start(lossy, "udp 127.0.0.1:4001")
    sink = hour.start(SINK, "listening on")
    send(hour, 1000)
    received(sink, 1000)
    hour.run("farlinkctl metrics --config earth.json | grep ltp | grep -v ' 0$'")
    if hour.left:
        raise AssertionError(f"{DOCUMENT}: not played: {', '.join(hour.left)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    options = parser.parse_args()
    in_own_network()
    with tempfile.TemporaryDirectory(prefix="farlink-hour-") as folder:
        hour = Hour(options.build.resolve() / "bin", pathlib.Path(folder))
        try:
            play(hour)
        finally:
            hour.end()
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
