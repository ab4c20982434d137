# SPDX-License-Identifier: Apache-2.0
"""The check of the documents' blocks: none is without a comment, or with a wrong one."""

import pathlib
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))

from documents import blocks_of, documents, faults, is_shown, programs  # noqa: E402

NAMES = {"farlink", "farlinkctl", "bpgen", "bping"}


def block(text, comment="", kind="text"):
    return f"Some words.\n\n{comment}\n```{kind}\n{text}\n```\n"


class Faults(unittest.TestCase):
    def of(self, text, root=TOOLS.parent):
        return [fault for _, fault in faults("a.md", text, {"node"}, NAMES, root)]

    def good(self, *blocks):
        self.assertEqual(self.of("".join(blocks)), [])

    def bad(self, words, *blocks):
        found = self.of("".join(blocks))
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_every_block_has_a_comment(self):
        self.bad("does not say what the block is", block("words"))
        self.bad("does not say what the block is", block("bping --to x", kind=""))
        self.bad("does not say what the block is", block("bping --to x", "<!-- other -->", "sh"))
        self.good(block("bping --to x", "<!-- commands: node -->", "sh"))
        self.good(block("bping --to x", "<!-- commands not run: it takes a day -->", "sh"))
        self.good(block("┌──┐", "<!-- no commands: a picture -->"))

    def test_a_setup_and_a_path_exist(self):
        self.bad("no such setup: nodes", block("bping", "<!-- commands: nodes -->", "sh"))
        self.bad("there is no tests/a/b_test.py",
                 block("bping", "<!-- commands not run: tests/a/b_test.py -->", "sh"))

    def test_commands_are_in_a_block_that_is_run(self):
        for line in ("bping --to ipn:2.1", "$ ls -l", "./farlink-dev run", "bench/run.py --direct",
                     "build/release/bin/bpgen --help", "openssl rand 3", "build $ ctest"):
            self.bad("it has a command", block(line, "<!-- no commands: words -->"))
            self.bad("a command without a fence", f"Words.\n\n    {line}\n\nWords.\n")
        for line in ("bpgen ──► bpsink", "farlink node 10 is up", "a span 10 100", "lock   a file"):
            self.good(block(line, "<!-- no commands: words -->"))
            self.good(f"Words.\n\n    {line}\n")
        self.good("- a list\n    bping --to continues a line\n")
        self.bad("neither how its commands run", block("ls", "<!-- no commands: a -->", "sh"))
        self.bad("not one that is run", block("ls", "<!-- commands: -->"))

    def test_output_has_commands_that_are_run_before_it(self):
        output = block("64 bytes", "<!-- output; numbers differ -->")
        self.good(block("bping", "<!-- commands: -->", "sh"), output)
        self.bad("no block of commands", output)
        self.bad("no block of commands",
                 block("bping", "<!-- commands not run: it takes a day -->", "sh"), output)

    def test_json_is_a_configuration_or_says_what_it_is(self):
        self.good(block('{ "myNodeId": 10, "...": "..." }', kind="json"))
        self.good(block('"threads": { "instances": 2 },\n"outductsConfig": [{}, ... ]',
                        kind="json"))
        self.good(block('"bus": {\n  "publicKey": "a",\n  ...\n}', kind="json"))
        self.bad("neither a configuration", block('{"time": 1}\n{"time": 2}', kind="json"))
        self.good(block('{"time": 1}\n{"time": 2}', "<!-- no commands: a log -->", "json"))

    def test_a_block_is_the_file_that_it_names(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "plan").write_text("one\ntwo\nthree\n", encoding="utf-8")
            part = block("two\nthree", "<!-- file: plan -->")
            self.assertEqual(self.of(part, root), [])
            (root / "plan").write_text("one\ntwo\n", encoding="utf-8")
            self.assertEqual(self.of(part, root), ["it is not in plan"])


class Blocks(unittest.TestCase):
    def test_a_fence_in_a_list_and_a_longer_one_are_fences(self):
        text = "- a\n\n  ```sh\n  ls\n  ```\n\n````text\n```\n````\n"
        self.assertEqual([(found.line, found.kind, found.text) for found in
                          blocks_of("a.md", text)],
                         [(3, "sh", "  ls\n"), (7, "text", "```\n")])

    def test_those_of_the_tree_are_found(self):
        self.assertIn("README.md", documents())
        self.assertIn("docs/guide/tools.md", documents())
        self.assertLessEqual(NAMES | {"farlink-cfdp", "ltprecv"}, programs())


class Shown(unittest.TestCase):
    def test_text_is_compared(self):
        self.assertTrue(is_shown("1 sent\n", "1 sent\n", False))
        self.assertFalse(is_shown("1 sent\n", "2 sent\n", False))
        self.assertFalse(is_shown("1 sent\n", "1 sent\nmore\n", False))

    def test_dots_stand_for_lines(self):
        self.assertTrue(is_shown("a\n...\nd\n", "a\nb\nc\nd\n", False))
        self.assertTrue(is_shown("a\n  ...\nd\n", "a\nd\n", False))
        self.assertTrue(is_shown("...\nb\n...\nd\n...\n", "a\nb\nc\nd\ne\n", False))
        for said in ("a\nb\nc\n", "d\n", "a\nbad\n", "a\nd\ne\n"):
            self.assertFalse(is_shown("a\n...\nd\n", said, False), said)
        self.assertFalse(is_shown("a\n...\nb\n...\n", "a\nab\n", False))

    def test_numbers_may_differ(self):
        for shown, said in (("time=1.304 ms", "time=12 ms"), ("1.62 GB, 4,120 a", "489 B, 3 a"),
                            ("45.6Mbit/s", "0bit/s"), ("-1 ms -3 ms", "0 ms +2 ms"),
                            ("at 2026-11-22T04:57:44.175Z", "at 2027-01-02T03:04:05Z"),
                            ("a   1   b", "a 1000 b"), ("1000-2000", "0-1000")):
            self.assertTrue(is_shown(shown + "\n", said + "\n", True), shown)
        self.assertFalse(is_shown("3 sent\n", "3 lost\n", True))
        self.assertFalse(is_shown("no contact\n", "1 contact\n", True))


if __name__ == "__main__":
    unittest.main()
