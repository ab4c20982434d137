# SPDX-License-Identifier: Apache-2.0
"""A test that fails once is reported as flaky; a test that fails again fails the run."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAKY = ROOT / "tools/dev/flaky.py"
# name: a shell script; `$1` is a file that it may keep
GOOD = "true"
BAD = "false"
ONCE = 'test -e "$1" || { touch "$1"; false; }'  # fails the first time
RUNS = 'echo . >>"$1"; test "$(wc -l <"$1")" -ne {}'  # fails that time


class FlakyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="farlink-flaky-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.build = self.folder / "release"
        self.build.mkdir()
        self.listed = self.folder / "listed.txt"

    def run_tests(self, **scripts):
        """ctest's run of these tests, as a build folder has it."""
        lines = []
        for name, script in scripts.items():
            (self.build / f"{name}.sh").write_text(script + "\n", encoding="utf-8")
            lines.append(f'add_test("{name}" "sh" "{name}.sh" "{self.build}/{name}.kept")\n')
        (self.build / "CTestTestfile.cmake").write_text("".join(lines), encoding="utf-8")
        return subprocess.run(["ctest", "--test-dir", str(self.build)], check=False,
                              capture_output=True).returncode

    def flaky(self, command):
        done = subprocess.run(
            [sys.executable, str(FLAKY), command, "--build", str(self.build), "--listed",
             str(self.listed)], check=False, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_one_that_passes_twice_alone_is_flaky(self):
        self.assertNotEqual(self.run_tests(good=GOOD, once=ONCE), 0)
        self.assertEqual(self.flaky("rerun"), (0, ["flaky: once"]))
        self.assertEqual((self.folder / "flaky.txt").read_text(encoding="utf-8"), "once\n")

    def test_one_that_fails_again_is_a_failure(self):
        self.run_tests(bad=BAD, once=ONCE)
        self.assertEqual(self.flaky("rerun"), (1, ["failed again: bad", "flaky: once"]))

    def test_it_must_pass_both_times(self):
        second = RUNS.replace("-ne {}", "-gt 1") + ' && test "$(wc -l <"$1")" -ne 3'
        self.run_tests(second=second)
        self.assertEqual(self.flaky("rerun"), (1, ["failed again: second"]))

    def test_many_failures_are_not_run_again(self):
        self.run_tests(**{f"t{number}": ONCE for number in range(11)})
        self.assertEqual(self.flaky("rerun")[0], 1)
        self.assertFalse((self.folder / "flaky.txt").exists())

    def test_a_run_without_tests_stays_a_failure(self):
        self.assertEqual(self.flaky("rerun"), (1, []))

    def test_check_fails_while_one_is_remembered(self):
        self.assertEqual(self.flaky("check")[0], 0)
        self.run_tests(once=ONCE)
        self.flaky("rerun")
        self.flaky("rerun")
        self.assertEqual((self.folder / "flaky.txt").read_text(encoding="utf-8"), "once\n")
        self.assertEqual(self.flaky("check")[0], 1)
        (self.folder / "flaky.txt").unlink()
        self.listed.write_text("# none\n\n", encoding="utf-8")
        self.assertEqual(self.flaky("check"), (0, []))
        self.listed.write_text("# one\nApi.Slow 2026-01-01\n", encoding="utf-8")
        code, lines = self.flaky("check")
        self.assertEqual((code, len(lines)), (1, 1))
        self.assertIn("flaky: Api.Slow", lines[0])


if __name__ == "__main__":
    unittest.main()
