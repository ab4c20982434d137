#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the software bill of materials that tools/sbom.py writes."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Bill(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "bill.json"
            # Any program with shared libraries of Debian packages.
            subprocess.run([sys.executable, str(ROOT / "tools" / "sbom.py"), "--version", "1.2.3",
                            "-o", str(file), os.path.realpath(sys.executable)],
                           check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "86400"})
            self.bill = json.loads(file.read_text(encoding="utf-8"))
        self.packages = {entry["name"]: entry for entry in self.bill["packages"]}
        self.relations = {(one["spdxElementId"], one["relationshipType"],
                           one["relatedSpdxElement"]) for one in self.bill["relationships"]}

    def test_has_the_head_of_an_spdx_document(self):
        self.assertEqual(self.bill["spdxVersion"], "SPDX-2.3")
        self.assertEqual(self.bill["creationInfo"]["created"], "1970-01-02T00:00:00Z")
        self.assertEqual(self.packages["farlink"]["versionInfo"], "1.2.3")

    def test_ids_are_unique_and_every_relationship_has_two_ends(self):
        ids = [entry["SPDXID"] for entry in self.bill["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        for one, _, other in self.relations:
            for end in (one, other):
                self.assertIn(end, {*ids, "SPDXRef-DOCUMENT"})

    def test_lists_shared_libraries_by_their_debian_package(self):
        libc = self.packages["libc6"]
        self.assertIn((self.packages["farlink"]["SPDXID"], "DYNAMIC_LINK", libc["SPDXID"]),
                      self.relations)
        self.assertTrue(libc["externalRefs"][0]["referenceLocator"].startswith(
            "pkg:deb/debian/libc6@"))

    def test_tells_what_is_in_the_dashboard_from_what_builds_it(self):
        own = self.packages["farlink"]["SPDXID"]
        self.assertIn((own, "CONTAINS", self.packages["uplot"]["SPDXID"]), self.relations)
        self.assertIn((self.packages["vite"]["SPDXID"], "BUILD_TOOL_OF", own), self.relations)


if __name__ == "__main__":
    unittest.main()
