#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of tools/help_text.py: the forms that CLI11 gives a help text."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from help_text import parse  # noqa: E402

TEXT = """\
Does a thing
Usage: tool [OPTIONS] [SUBCOMMAND]

Positionals:
  file TEXT ... REQUIRED      what it is done to

Options:
  -h,--help                   Print this help message and exit
  --bundle-rate FLOAT:FLOAT in [0 - 1e+09]=0
                              bundles per second
  --burst-loss FLOAT:FLOAT in [0 - 1]
                              share that is lost
  --kind TEXT:{one,two}=one   which one
  --delay TEXT:250ms          as 250ms
  --reorder-by TEXT:250ms1234 exactly as wide as the column
[Option Group: node]
  which node
  [Exactly 1 of the following options is required]
  Options:
    --socket TEXT               its socket


The way back:
  --back-delay TEXT:250ms     likewise

Subcommands:
  status                      says how it is

Runs until it ends.
Exit codes: 0 done, 1 failed, or not
begun, 2 bad usage.
"""


class Parse(unittest.TestCase):
    def setUp(self):
        self.help = parse(["tool"], TEXT)
        self.found = {entry.names[-1]: entry for section in self.help.sections
                      for entry in section.entries}

    def test_every_entry_is_found_in_its_section(self):
        self.assertEqual([section.title for section in self.help.sections],
                         ["Positionals", "Options", "Node", "The way back", "Subcommands"])
        self.assertEqual(len(self.found), 10)
        self.assertEqual([entry.names[0] for entry in self.help.entries("subcommand")], ["status"])
        self.assertEqual([entry.names[0] for entry in self.help.entries("positional")], ["file"])
        self.assertEqual(self.found["--help"].names, ["-h", "--help"])
        self.assertIn("which node", self.help.sections[2].note)

    def test_values_limits_and_defaults(self):
        rate, loss = self.found["--bundle-rate"], self.found["--burst-loss"]
        self.assertEqual((rate.value, rate.allowed, rate.default, rate.text),
                         ("FLOAT", "0 to 1e+09", "0", "bundles per second"))
        self.assertEqual((loss.allowed, loss.default, loss.text),
                         ("0 to 1", "", "share that is lost"))
        kind = self.found["--kind"]
        self.assertEqual((kind.allowed, kind.default, kind.text),
                         ("one or two", "one", "which one"))
        self.assertEqual(self.found["--delay"].value, "250ms")
        self.assertEqual(self.found["--reorder-by"].text, "exactly as wide as the column")
        self.assertEqual(self.found["--socket"].text, "its socket")
        self.assertTrue(self.found["file"].several and self.found["file"].required)

    def test_the_footer(self):
        self.assertEqual(self.help.exit_codes(),
                         [("0", "done"), ("1", "failed, or not begun"), ("2", "bad usage")])
        self.assertEqual(self.help.remarks(), "Runs until it ends.")
        self.assertTrue(self.help.runs())


if __name__ == "__main__":
    unittest.main()
