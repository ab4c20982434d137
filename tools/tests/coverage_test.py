# SPDX-License-Identifier: Apache-2.0
"""`farlink-dev coverage` adds up what gcov counted, by folder, of decoders only."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/dev"))
sys.dont_write_bytecode = True
import coverage  # noqa: E402


def document(name, *counts):
    return {"current_working_directory": "/tree/build", "files": [{"file": name, "lines": [
        {"line_number": number, "count": times} for number, times in enumerate(counts)]}]}


class CoverageTest(unittest.TestCase):
    def folders(self, *documents):
        return coverage.by_folder(coverage.count(documents, "/tree"))

    def test_a_line_counts_once(self):
        found = self.folders(document("/tree/common/codec/sdnv.hpp", 1, 0, 0),
                             document("/tree/common/codec/sdnv.hpp", 0, 2, 0))
        self.assertEqual(found, {"common/codec": (2, 3)})

    def test_only_decoders(self):
        found = self.folders(
            document("/tree/cla/ltp/core/segment.cpp", 1), document("/tree/cla/ltp/link.cpp", 1),
            document("../common/bus/wire_read.cpp", 1), document("/tree/common/bus/channel.cpp", 1),
            document("/tree/tests/unit/bp/a_test.cpp", 1), document("/usr/include/vector", 1))
        self.assertEqual(set(found), {"cla/ltp/core", "common/bus"})

    def test_each_folder_must_have_enough(self):
        rows, enough = coverage.report({"a": (90, 100), "b": (899, 1000)})
        self.assertFalse(enough)
        self.assertEqual(["BELOW" in row for row in rows], [False, True])
        self.assertTrue(coverage.report({"a": (90, 100)})[1])

    def test_nothing_counted_is_no_success(self):
        self.assertFalse(coverage.report({})[1])


if __name__ == "__main__":
    unittest.main()
