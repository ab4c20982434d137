#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every option of every program that takes a size, a count or a rate takes suffixes.

Usage: options_test.py --build FOLDER [unittest arguments]
"""
import pathlib
import re
import subprocess
import unittest

from api_node import LIMIT_S, Node, main

PROGRAMS = ("farlink", "farlinkctl", "bpgen", "bpsink", "bping", "bpsend", "bpreceive", "bptrace",
            "bpsendfile", "bpreceivefile", "bptunnel", "farlink-cfdp", "farlink-cfdpd",
            "bpinspect", "linkemu", "ltpsend", "ltprecv")
#: Options with a number that is no amount, by what the number is.
OTHER_NUMBERS = {
    "time": {
        "--acknowledge-timeout", "--connect-timeout", "--custody-period", "--custody-timeout",
        "--days", "--duration", "--idle-exit", "--idle-timeout", "--interval", "--lifetime",
        "--longest-age", "--milliseconds", "--owlt", "--quiet-time", "--reconnect", "--repeat",
        "--scan-interval", "--seconds", "--stay", "--step", "--timeout", "--wait-milliseconds"},
    "number of a node, a link, a contact, a plan, an entity or a service": {
        "--at", "--contact", "--dest", "--link", "--node", "--port", "--sender", "--service",
        "--source", "contact", "entity", "link", "node", "version"},
    "kind or limit of a protocol": {"--bp-version", "--class", "--hop-limit"},
    "share": {"--loss", "--burst-loss", "--duplicate", "--reorder", "--bit-errors"},
    "seed": {"--seed"},
}
#: "-n,--limit UINT=5 ...", "to,--to FLOAT:FLOAT in [0 - 1] ..."
NUMERIC = re.compile(r"^\s+(\S+) (?:UINT|INT|FLOAT)\b")


def run(*words):
    done = subprocess.run([str(pathlib.Path(Node.programs) / words[0]), *words[1:]],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=LIMIT_S)
    return done.returncode, done.stdout + done.stderr


def commands(path):
    """Each command of a program, and its help."""
    code, text = run(*path, "--help")
    assert code == 0, f"{path}: {text}"
    yield path, text
    listed = re.search(r"^Subcommands:\n((?:  .*\n?)*)", text, re.MULTILINE)
    for line in listed[1].splitlines() if listed else ():
        name = re.match(r"  (\S+)", line)
        if name:
            yield from commands([*path, name[1]])


def amounts(text):
    """The options of a command that take an amount."""
    others = set().union(*OTHER_NUMBERS.values())
    others |= {name.replace("--", "--back-", 1) for name in OTHER_NUMBERS["share"]}
    for line in text.splitlines():
        found = NUMERIC.match(line)
        name = found and found[1].split(",")[-1]
        if name and name not in others:
            yield name


class OptionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        there = [name for name in PROGRAMS if (pathlib.Path(Node.programs) / name).exists()]
        cls.found = [(path, text) for name in there for path, text in commands([name])]

    def test_the_help_of_each_program_is_read(self):
        read = {" ".join(path) for path, _ in self.found}
        for command in ("bpgen", "farlinkctl storage verify", "linkemu tun", "farlink-cfdp put"):
            self.assertIn(command, read)

    def test_each_amount_takes_a_suffix(self):
        tried = set()
        for path, text in self.found:
            for name in amounts(text):
                with self.subTest(command=" ".join(path), option=name):
                    # Values are read before the help is printed, and nothing else is done.
                    code, said = run(*path, *([name] if name.startswith("-") else []), "2k",
                                     "--help")
                    # 2000 may be more than the option allows.
                    tried.add(name)
                    self.assertTrue(code == 0 or "with a suffix" in said, said)
        for name in ("--bundle-size", "--rate", "--per-second", "--limit", "--count", "--mtu"):
            self.assertIn(name, tried)


if __name__ == "__main__":
    main(__doc__)
