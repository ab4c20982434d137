# SPDX-License-Identifier: Apache-2.0
"""`farlink-dev verify` runs each part, fails when one fails, and leaves a dated report."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUB = """#!/bin/sh
echo "ran $*" >>ran.txt
[ "$1" != bad ]
"""
WITH_TOOLS = ". tools/dev/steps.sh; . tools/dev/verify.sh; "


class VerifyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="farlink-verify-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "tools/dev", self.folder / "tools/dev")
        (self.folder / "tests/verify").mkdir(parents=True)
        (self.folder / "farlink-dev").write_text(STUB, encoding="utf-8")
        (self.folder / "farlink-dev").chmod(0o755)

    def shell(self, script):
        return subprocess.run(["bash", "-euc", WITH_TOOLS + script], cwd=self.folder, check=False,
                              capture_output=True, text=True)

    def report(self):
        reports = list((self.folder / "build").glob("verify-*.txt"))
        self.assertEqual(len(reports), 1)
        self.assertRegex(reports[0].name, r"^verify-\d{4}-\d\d-\d\dT[\d-]+\.txt$")
        return reports[0].read_text(encoding="utf-8")

    def test_parts_that_pass(self):
        done = self.shell("verify flaky good 'good asan'")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "ran.txt").read_text(encoding="utf-8"),
                         "ran good\nran good asan\n")
        text = self.report()
        self.assertEqual(re.findall(r"^passed .* s  (.*)$", text, re.MULTILINE),
                         ["flaky", "good", "good asan"])
        self.assertTrue(text.endswith("\nverified\n"), text)

    def test_continues_after_a_failed_part(self):
        self.assertEqual(self.shell("verify bad good").returncode, 1)
        text = self.report()
        self.assertRegex(text, r"(?m)^FAILED .* s  bad$")
        self.assertRegex(text, r"(?m)^passed .* s  good$")
        self.assertTrue(text.endswith("\nNOT verified\n"), text)

    def test_fails_while_a_flaky_test_is_listed(self):
        (self.folder / "tests/flaky.txt").write_text("Ltp.Slow 2026-01-01\n", encoding="utf-8")
        self.assertEqual(self.shell("verify flaky good").returncode, 1)
        self.assertRegex(self.report(), r"(?m)^FAILED .* s  flaky$")

    def test_programs_of_its_own_are_parts(self):
        program = self.folder / "tests/verify/some_test.py"
        program.write_text("raise SystemExit(3)\n", encoding="utf-8")
        self.assertIn("tests/verify/some_test.py\n", self.shell("verify_parts").stdout)
        self.assertEqual(self.shell("verify tests/verify/some_test.py").returncode, 1)

    def test_ci_passes_when_a_failed_test_passes_alone(self):
        build = self.folder / "build/release"
        build.mkdir(parents=True)
        (build / "CTestTestfile.cmake").write_text(
            'add_test("once" "sh" "-c" "test -e kept || { touch kept; false; }")\n',
            encoding="utf-8")
        run = ". tools/dev/build.sh; run_tests release"
        # CI sets it for the tests it runs, this one among them.
        self.assertEqual(self.shell("unset FARLINK_RERUN_FAILED; " + run).returncode, 1)
        (build / "kept").unlink()
        done = self.shell("export FARLINK_RERUN_FAILED=1; " + run)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^flaky: once$")


if __name__ == "__main__":
    unittest.main()
