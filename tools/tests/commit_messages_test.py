# SPDX-License-Identifier: Apache-2.0
"""The check of commit messages."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import commit_messages  # noqa: E402


class CommitMessages(unittest.TestCase):
    def faults(self, message):
        return list(commit_messages.faults(message))

    def test_good(self):
        for message in (
            "ltp: hold the closing report until the block is on disk\n\nWhy.\n",
            "tests, docs: pass the number\n",
            "tools: process each file\n# a comment of git\n",
            f"ltp: hold {'x' * 62}\n",
        ):
            self.assertEqual(self.faults(message), [], message)

    def test_a_subject_has_an_area_and_a_verb(self):
        for message in ("", "wip\n", "Fix it\n", "ltp:hold it\n"):
            self.assertIn("the form", " ".join(self.faults(message)), message)
        for word in ("the", "what", "holding", "holds", "refused", "a"):
            self.assertEqual(self.faults(f"ltp: {word} report\n"),
                             [f"`{word}` is not a verb in the imperative"])

    def test_a_subject_is_short(self):
        self.assertEqual(self.faults(f"ltp: hold {'x' * 63}\n"),
                         ["the subject has 73 characters, at most 72"])

    def test_the_body_is_apart(self):
        self.assertEqual(self.faults("ltp: hold it\nWhy.\n"), ["no blank line behind the subject"])


if __name__ == "__main__":
    unittest.main()
