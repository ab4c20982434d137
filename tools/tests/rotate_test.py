# SPDX-License-Identifier: Apache-2.0
"""`farlink-dev rotate` chooses by the commit, covers all, prints its choice, ends in time."""

import collections
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/dev"))
sys.dont_write_bytecode = True
import rotate  # noqa: E402

STUB = """#!/bin/sh
echo "ran $*" >>ran.txt
{}
"""
AREA = "farlink_unit_tests(area module/area)\n"


class ChoiceTest(unittest.TestCase):
    def setUp(self):
        self.all = rotate.choices()
        self.commits = [hashlib.sha1(str(number).encode()).hexdigest() for number in range(3000)]

    def test_one_commit_has_one_choice(self):
        for commit in self.commits[:20]:
            self.assertEqual(rotate.choose(self.all, commit), rotate.choose(self.all, commit))

    def test_every_choice_comes_up(self):
        seen = collections.Counter(rotate.choose(self.all, commit) for commit in self.commits)
        self.assertEqual(set(seen), set(self.all))
        self.assertLess(max(seen.values()), 3 * len(self.commits) / len(self.all))

    def test_there_is_each_kind_and_each_area(self):
        kinds = collections.Counter(re.match(r"fuzz|sanitize \w+", one)[0] for one in self.all)
        self.assertEqual(set(kinds), {"fuzz", "sanitize asan", "sanitize tsan"})
        targets = [file.stem for file in (ROOT / "tests/fuzz").glob("*_fuzz.cpp")]
        self.assertEqual(kinds["fuzz"], len(targets))
        self.assertEqual(kinds["sanitize tsan"], len(rotate.THREADED))

    def test_every_unit_test_is_in_an_area(self):
        text = (ROOT / "tests/CMakeLists.txt").read_text(encoding="utf-8")
        calls = re.findall(r"^ *farlink_(?:unit_tests|tests)\(([^)]*)\)", text, re.MULTILINE)
        folders = {word.removeprefix("tests/unit/") for call in calls for word in call.split()}
        for file in (ROOT / "tests/unit").glob("**/*_test.cpp"):
            parents = file.relative_to(ROOT / "tests/unit").parents
            self.assertTrue(any(folder.as_posix() in folders for folder in parents), file)


class RotateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="farlink-rotate-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "tools/dev", self.folder / "tools/dev")
        (self.folder / "tests/fuzz").mkdir(parents=True)
        (self.folder / "tests/CMakeLists.txt").write_text(AREA, encoding="utf-8")

    def rotate(self, stub, seconds=60):
        program = self.folder / "farlink-dev"
        program.write_text(STUB.format(stub), encoding="utf-8")
        program.chmod(0o755)
        done = subprocess.run(
            ["bash", "-euc", f". tools/dev/rotate.sh; rotate_seconds={seconds}; rotate"],
            cwd=self.folder, check=False, capture_output=True, text=True)
        ran = (self.folder / "ran.txt").read_text(encoding="utf-8")
        return done.returncode, done.stdout.splitlines(), ran

    def test_says_and_runs_the_choice(self):
        self.assertEqual(self.rotate("exit 0"), (
            0, ["rotate: ./farlink-dev sanitize asan unit_area"], "ran sanitize asan unit_area\n"))

    def test_fails_with_it(self):
        self.assertEqual(self.rotate("exit 3")[0], 3)

    def test_ends_in_time_and_says_so(self):
        code, lines, _ = self.rotate("exec sleep 600", seconds=0.2)
        self.assertEqual(code, 0)
        self.assertRegex(lines[-1], "^rotate: no result within ")


if __name__ == "__main__":
    unittest.main()
