# SPDX-License-Identifier: Apache-2.0
"""The generator of counters' names: reading the tables, and writing the files."""

import pathlib
import sys
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))

from counters import (Member, ltp_members_of, members_of, openapi_of, read_members,  # noqa: E402
                      rows_of, typescript_of, unlisted)

TABLE = '''
inline constexpr std::array<CounterRow<FruitCounter>, 3> kFruitCounters{{
    {FruitCounter::kPicked,
     {.name = "fruit_picked",
      .unit = "pieces",
      .help = "Fruit picked, "
              "ripe or not.",
      .metric = "fruit_picked_total",
      .json = {.flow = "pickedPieces", .custody = "held"}}},
    {FruitCounter::kBought, {.name = "fruit_bought", .json = {.flow = "pickedPieces"}}},
    {FruitCounter::kNow, {.name = "fruit_now", .gauge = true, .json = {.flow = "nowPieces"}}},
}};
'''
LTP = '''
std::array<LtpCounterInfo, 2> k{{
    {LtpCounter::kAB, "a_b", "link_ltp_a_b_total", "aB"}, {LtpCounter::kC, "c", "d", "e", true}}};
'''


class Counters(unittest.TestCase):
    def test_reads_rows_and_adds_members_up(self):
        rows = rows_of(TABLE)
        self.assertEqual(rows[0]["help"], "Fruit picked, ripe or not.")
        objects = members_of([rows])
        self.assertEqual(objects["flow"],
                         [Member("pickedPieces", False), Member("nowPieces", True)])
        self.assertEqual(objects["custody"], [Member("held", False)])
        self.assertEqual(objects["link"], [])

    def test_a_row_that_it_cannot_read_is_an_error(self):
        with self.assertRaises(ValueError):
            rows_of(TABLE.replace("{FruitCounter::kBought", "FruitCounter::kBought"))
        with self.assertRaises(ValueError):
            ltp_members_of(LTP.replace('{LtpCounter::kC', 'LtpCounter::kC'))

    def test_a_sum_of_a_gauge_and_a_count_is_an_error(self):
        with self.assertRaises(ValueError):
            members_of([rows_of(TABLE.replace("nowPieces", "pickedPieces"))])

    def test_ltp_has_the_sum_of_its_gauges(self):
        self.assertEqual(ltp_members_of(LTP),
                         [Member("aB", False), Member("e", True), Member("sessions", True)])

    def test_writes_what_clients_include(self):
        objects = members_of([rows_of(TABLE)]) | {"ltp": ltp_members_of(LTP)}
        script = typescript_of(objects)
        self.assertIn("export interface FlowCounters {\n  pickedPieces?: number;\n", script)
        totals = script[script.index("FLOW_TOTALS"):]
        self.assertIn('"pickedPieces"', totals)
        self.assertNotIn('"nowPieces"', totals)
        region = "  # counters custody\n  old: {}\n  # end of counters\n"
        self.assertEqual(openapi_of(region, objects),
                         "  # counters custody\n  held: {type: integer, minimum: 0}\n"
                         "  # end of counters\n")
        self.assertEqual(unlisted("pickedPieces", objects), ["flow.nowPieces"])

    def test_the_tables_can_be_read(self):
        objects = read_members()
        self.assertIn(Member("receivedBundles", False), objects["flow"])
        self.assertIn(Member("queuedBytes", True), objects["link"])
        self.assertIn(Member("retransmittedSegments", False), objects["ltp"])


if __name__ == "__main__":
    unittest.main()
