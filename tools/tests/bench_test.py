# SPDX-License-Identifier: Apache-2.0
"""Each case of bench/run.py has a target, and a missed target is reported."""

import contextlib
import io
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.dont_write_bytecode = True
import run  # noqa: E402
from cases import CASES, Target  # noqa: E402


def result(case, **figures):
    return {"case": case, **{name: {"median": value, "min": value, "max": value}
                             for name, value in figures.items()}}


def print_targets(*results):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        missed = run.print_targets(results)
    return missed, out.getvalue()


class TargetsTest(unittest.TestCase):
    def test_each_case_has_one(self):
        # TCP over a link with losses is the reference of LTP.
        self.assertEqual([name for name, case in CASES.items()
                          if not case.targets and case.kind != "far-tcp"], [])

    def test_each_is_of_a_figure_that_is_printed(self):
        printed = {key for key, *_ in run.COLUMNS}
        for name, case in CASES.items():
            for target in case.targets:
                self.assertIsInstance(target, Target)
                self.assertIn(target.figure, printed, name)
                self.assertIn(target.relation, (">=", "<="), name)

    def test_one_that_is_reached(self):
        missed, text = print_targets(result("stcp-100B", ratio_to_relay=0.45))
        self.assertEqual(missed, 0)
        self.assertRegex(text, r"stcp-100B +ratio_to_relay +0\.450 +>= 0\.4 +reached")

    def test_one_that_is_missed(self):
        missed, text = print_targets(result("stcp-100B", ratio_to_relay=0.39),
                                     result("stcp-1kB", ratio_to_relay=0.6))
        self.assertEqual(missed, 1)
        self.assertTrue(text.endswith("\n1 of 2 targets MISSED\n"), text)

    def test_one_that_is_not_measured(self):
        missed, text = print_targets(result("stcp-100B", goodput_bps=1e9))
        self.assertEqual(missed, 0)
        self.assertIn("not measured", text)


if __name__ == "__main__":
    unittest.main()
