# SPDX-License-Identifier: Apache-2.0
"""The files of `farlink-dev lint`: the changed ones on a branch, in a clone, without a remote; and
which are looked at together.
"""

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
            self.assertEqual(set(lint.compiled(folder, folder)), {"common/bp/a.cpp"})
            commands.write_text(json.dumps([{"file": f"{name}/b/Unity/unity_0_cxx.cxx"}]),
                                encoding="utf-8")
            with self.assertRaises(SystemExit):
                lint.compiled(folder, folder)


class GroupTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="farlink-lint-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.known = {}

    def compile(self, library, *names):
        for name in names:
            source = f"/tree/{name}"
            self.known[name] = {
                "directory": "/tree/build", "file": source,
                "command": f"g++ -DX=1 -o {library}.dir/{name}.o -c {source}"}
        return list(names)

    def test_a_library_is_looked_at_as_one(self):
        first = self.compile("a/CMakeFiles/one", "a/1.cpp", "a/2.cpp")
        other = self.compile("b/CMakeFiles/two", "b/1.cpp")
        self.assertEqual(lint.grouped([first[0], *other, first[1]], self.known), [first, other])

    def test_a_large_library_is_divided(self):
        names = self.compile("a/CMakeFiles/one", *(f"{i}.cpp" for i in range(lint.GROUP + 2)))
        self.assertEqual([len(group) for group in lint.grouped(names, self.known)],
                         [lint.GROUP, 2])

    def test_tests_are_looked_at_one_by_one(self):
        names = self.compile("tests/CMakeFiles/unit_a", "tests/unit/a.cpp", "tests/unit/b.cpp")
        self.assertEqual(lint.grouped(names, self.known), [[name] for name in names])

    def write(self, name, text):
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8")

    def test_a_group_is_a_source_file_with_a_command(self):
        group = self.compile("a/CMakeFiles/one", "a/1.cpp", "a/2.cpp")
        self.write("a/1.cpp", '#include "x"\nint a;\n')
        self.write("a/2.cpp", '#include "x"\n#include "y"\n#include "y"\n#include "x"\n')
        source, folder, begins = lint.as_one(self.folder, self.folder, self.known, group)
        text = pathlib.Path(source).read_text(encoding="utf-8")
        self.assertEqual(text, '#include "x"\nint a;\n\n#include "y"\n#include "y"\n#include "x"\n')
        [entry] = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
        self.assertEqual(entry["file"], source)
        self.assertTrue(entry["command"].endswith(f"-c {source}"), entry)
        self.assertIn("-DX=1", entry["command"])
        found = f"{source}:2:5: error: A\n{source}:6:5: error: B\n/tree/a.hpp:6:1: note: C\n"
        self.assertEqual(lint.in_files(found, source, group, begins),
                         "a/1.cpp:2:5: error: A\na/2.cpp:4:5: error: B\n/tree/a.hpp:6:1: note: C\n")

    def test_one_file_keeps_its_command(self):
        group = self.compile("a/CMakeFiles/one", "a/1.cpp")
        self.assertEqual(lint.as_one(self.folder, self.folder, self.known, group),
                         ("a/1.cpp", self.folder, []))

    def test_a_rotation_has_all_files_and_differs_by_the_commit(self):
        names = [f"{i}.cpp" for i in range(50)]
        orders = [lint.rotated(names, f"commit {number}") for number in range(10)]
        self.assertTrue(all(sorted(order) == sorted(names) for order in orders))
        self.assertGreater(len({order[0] for order in orders}), 5)
        self.assertEqual(orders[0], lint.rotated(names, "commit 0"))
        self.assertEqual(lint.rotated([], "commit 0"), [])


if __name__ == "__main__":
    unittest.main()
