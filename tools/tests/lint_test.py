# SPDX-License-Identifier: Apache-2.0
"""The changed files of `farlink-dev lint`: on a branch, in a clone, without a remote."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/dev"))
sys.dont_write_bytecode = True
import lint  # noqa: E402

WHO = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"]


class ChangedFilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="farlink-lint-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        self.git("init", "-q", "-b", "main")
        for number in range(lint.COMMITS + 5):
            self.commit(f"old_{number}.cpp")

    def git(self, *arguments, tree=None):
        subprocess.run(["git", *WHO, *arguments], cwd=tree or self.tree, check=True,
                       capture_output=True)

    def write(self, *names):
        for name in names:
            (self.tree / name).write_text(f"// {name}\n", encoding="utf-8")

    def commit(self, *names):
        self.write(*names)
        self.git("add", ".")
        self.git("commit", "-q", "-m", names[0])

    def changed(self, tree=None):
        return lint.changed_files(tree or self.tree)[0]

    def test_a_branch_differs_from_its_merge_base(self):
        self.git("checkout", "-q", "-b", "work")
        self.commit("first.cpp")
        self.commit("second.cpp", "notes.md")
        self.git("checkout", "-q", "main")
        self.commit("elsewhere.cpp")
        self.git("checkout", "-q", "work")
        self.assertEqual(self.changed(), ["second.cpp", "first.cpp"])

    def test_uncommitted_files_come_first(self):
        self.git("checkout", "-q", "-b", "work")
        self.commit("first.cpp")
        self.write("untracked.cpp")
        (self.tree / "old_1.cpp").write_text("// edited\n", encoding="utf-8")
        self.assertEqual(self.changed(), ["old_1.cpp", "untracked.cpp", "first.cpp"])

    def test_the_last_commits_without_a_remote(self):
        last = range(lint.COMMITS + 4, 4, -1)
        self.assertEqual(self.changed(), [f"old_{number}.cpp" for number in last])

    def test_the_last_commits_in_a_clone_of_the_same_commit(self):
        clone = self.folder / "clone"
        self.git("clone", "-q", str(self.tree), str(clone))
        self.assertEqual(len(self.changed(clone)), lint.COMMITS)

    def test_a_clone_ahead_of_its_remote(self):
        clone = self.folder / "clone"
        self.git("clone", "-q", str(self.tree), str(clone))
        (clone / "ahead.cpp").write_text("//\n", encoding="utf-8")
        self.git("add", ".", tree=clone)
        self.git("commit", "-q", "-m", "ahead", tree=clone)
        self.assertEqual(self.changed(clone), ["ahead.cpp"])

    def test_a_shallow_history(self):
        clone = self.folder / "clone"
        self.git("clone", "-q", "--depth", "3", f"file://{self.tree}", str(clone))
        self.git("remote", "remove", "origin", tree=clone)
        self.assertEqual(len(self.changed(clone)), 2)

    def test_a_changed_header_selects_its_source(self):
        self.git("checkout", "-q", "-b", "work")
        self.commit("old_1.hpp", "alone.hpp")
        self.assertEqual(self.changed(), ["old_1.cpp"])

    def test_a_removed_file_is_left_out(self):
        self.git("checkout", "-q", "-b", "work")
        self.git("rm", "-q", "old_2.cpp")
        self.git("commit", "-q", "-m", "gone")
        self.assertEqual(self.changed(), [])

    def test_no_history_at_all(self):
        self.assertEqual(self.changed(self.folder), [])


class CompiledTest(unittest.TestCase):
    def test_a_unity_build_is_refused(self):
        with tempfile.TemporaryDirectory(prefix="farlink-lint-") as name:
            folder = pathlib.Path(name)
            commands = folder / "compile_commands.json"
            commands.write_text(json.dumps([{"file": f"{name}/common/bp/a.cpp"}]), encoding="utf-8")
            self.assertEqual(lint.compiled(folder, folder), {"common/bp/a.cpp"})
            commands.write_text(json.dumps([{"file": f"{name}/b/Unity/unity_0_cxx.cxx"}]),
                                encoding="utf-8")
            with self.assertRaises(SystemExit):
                lint.compiled(folder, folder)


if __name__ == "__main__":
    unittest.main()
