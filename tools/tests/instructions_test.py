# SPDX-License-Identifier: Apache-2.0
"""The comparison of instruction counts."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "dev"))

import instructions  # noqa: E402


class Instructions(unittest.TestCase):
    def worse(self, before, now):
        return [one[3] for one in instructions.compare({"forward": before}, {"forward": now})]

    def test_two_percent_more_is_allowed(self):
        self.assertEqual(self.worse(100, 102), [False])
        self.assertEqual(self.worse(100, 102.1), [True])

    def test_fewer_are_allowed(self):
        self.assertEqual(self.worse(100, 50), [False])

    def test_a_case_without_a_baseline_is_a_fault(self):
        self.assertEqual([one[3] for one in instructions.compare({}, {"forward": 1})], [True])

    def test_the_count_is_read_from_callgrinds_report(self):
        found = instructions.REFS.search("==1== Collected : 7\n==1== I   refs:      1,234,567\n")
        self.assertEqual(found[1], "1,234,567")


if __name__ == "__main__":
    unittest.main()
