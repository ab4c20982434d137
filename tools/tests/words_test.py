# SPDX-License-Identifier: Apache-2.0
"""The table of words is read, and each use of one is found where it is one."""

import pathlib
import sys
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))

from style import words  # noqa: E402
from style.source import Source, read_tree  # noqa: E402

TABLE = """# Glossary

| term | type |
|---|---|
| shelf | `Shelf` |

## Words not to use

How it is read.

| not | write |
|---|---|
| settle* | drain, acknowledge |
| light time* | one-way light time, `owlt` |
| `Shelf` | `StorageContext` |
| `turn_away` | `reject_while_draining` |
| is not let in | rejected peer {} at {} |

## Later

| a | b |
|---|---|
| bundle | nothing |
"""


class Words(unittest.TestCase):
    def found(self, text, path="docs/a.md"):
        uses = words.check_words(Source(path, text), words.read_words(TABLE))
        return [(line, instead) for line, _, instead in uses]

    def test_the_table_is_read_and_no_other(self):
        texts = [word.text for word in words.read_words(TABLE)]
        self.assertEqual(texts, ["settle*", "light time*", "Shelf", "turn_away", "is not let in"])

    def test_a_glossary_without_the_table_is_an_error(self):
        for text in ("", "# Glossary\n", f"{words.HEADING}\n\n| not | write |\n|---|---|\n"):
            with self.assertRaises(ValueError):
                words.read_words(text)

    def test_a_use_names_its_line_and_what_to_write(self):
        self.assertEqual(
            self.found("One.\nIt is Settled.\n"), [(2, "instead of `Settled`: drain, acknowledge")]
        )

    def test_whole_words(self):
        for text in ("settle", "settled,", "(settlement)", "flush `a` settles"):
            self.assertEqual(len(self.found(text)), 1, text)
        for text in ("unsettled", "resettle", "bookshelf", "a set of tles"):
            self.assertEqual(self.found(text), [], text)

    def test_a_phrase_may_be_parted_by_a_line_break(self):
        self.assertEqual([line for line, _ in self.found("A peer is not\nlet in.\n")], [1])

    def test_the_longer_phrase_that_is_to_be_written_is_no_use(self):
        self.assertEqual(self.found("Its one-way light time, One-way\nlight times.\n"), [])
        self.assertEqual(len(self.found("Its light time and its one-way light time.\n")), 1)

    def test_identifiers_have_their_case_and_are_found_in_spans(self):
        for text in ("`Shelf`", "the Shelf", "`turn_away()`"):
            self.assertEqual(len(self.found(text)), 1, text)
        for text in ("a shelf", "`shelf.hpp`", "Shelves", "`turn_away_all`"):
            self.assertEqual(self.found(text), [], text)

    def test_code_in_documents_is_not_prose(self):
        for text in (
            "A\n```\nsettle Shelf\n```\n",
            "A\n\n    settle Shelf\n\n    light time\n",
            "`settle()`\n",
            "[here](adr/settle.md)\n",
        ):
            self.assertEqual(self.found(text), [], text)
        self.assertEqual([line for line, _ in self.found("```\na\n```\nsettle\n")], [4])

    def test_which_files_are_read(self):
        for path in ("CHANGELOG.md", words.GLOSSARY, "a.json"):
            self.assertEqual(self.found("settle", path), [], path)

    def test_comments_texts_and_names_of_code_are_read(self):
        self.assertEqual(len(self.found("void flush_settled();", "cla/a.hpp")), 1)
        self.assertEqual(len(self.found("// it is not\n// let in\nShelf a;", "cla/a.hpp")), 2)
        self.assertEqual(len(self.found('log("it is settled");', "cla/a.cpp")), 1)
        self.assertEqual(len(self.found("# it is not\n# let in", "tools/a.py")), 1)
        self.assertEqual(len(self.found("# it settles", "tools/a.sh")), 1)
        self.assertEqual(len(self.found("const SETTLED_MS = 1;", "webui/src/a.ts")), 1)
        self.assertEqual(self.found("Duration owlt;", "cla/a.hpp"), [])
        self.assertEqual(self.found("maxUnsettledBytes", "cla/a.cpp"), [])

    def test_the_real_table_allows_what_it_says_to_write(self):
        text = (TOOLS.parent / words.GLOSSARY).read_text(encoding="utf-8")
        listed = words.read_words(text)
        self.assertGreater(len(listed), 20)
        for word in listed:
            with self.subTest(word=word.text):
                source = Source("docs/a.md", word.instead + "\n")
                self.assertEqual(list(words.check_words(source, listed)), [])


if __name__ == "__main__":
    unittest.main()
