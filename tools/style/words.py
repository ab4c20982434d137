# SPDX-License-Identifier: Apache-2.0
"""The table "Words not to use" of docs/glossary.md as a rule: its rows, and each use of one."""

import dataclasses
import re

from style.source import matches

GLOSSARY = "docs/glossary.md"
HEADING = "## Words not to use"

# Documents, and the comments, texts and names of the code.
CHECKED = (
    "**.md",
    "**.cpp",
    "**.hpp",
    "**.py",
    "**.sh",
    "**.ts",
    "**.mjs",
    "**.cmake",
    "**.yaml",
)
# The history keeps its words; the table and its tests contain the banned words.
EXEMPT = ("**CHANGELOG.md", GLOSSARY, "tools/style/words.py", "tools/tests/words_test.py")

ROW = re.compile(r"^\| *(?P<word>[^|]+?) *\| *(?P<instead>[^|]+?) *\|$")
FENCED = re.compile(r"^ *(?P<fence>```+|~~~+).*?^ *(?P=fence)[^\n]*$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)(?: {4}[^\n]*\n|\n(?= {4}))+")
TARGET = re.compile(r"\]\([^)\s]*\)")
SPAN = re.compile(r"`[^`]*`")
BETWEEN = r"[\s/#*>]+"  # a line break in a comment may separate the words of a phrase


@dataclasses.dataclass(frozen=True)
class Word:
    """A row of the table; `allowed` are uses inside of what is to be written instead."""

    text: str
    instead: str
    is_identifier: bool
    pattern: re.Pattern
    #: In small letters, in every text that the pattern matches: quick to look for.
    part: str
    allowed: tuple


def read_words(glossary):
    """The rows of the table in the glossary's text; ValueError if there are none."""
    section = glossary.partition(f"{HEADING}\n")[2].partition("\n## ")[0]
    rows = [found for line in section.splitlines() if (found := ROW.match(line))]
    if len(rows) < 3:
        raise ValueError(f"{GLOSSARY}: no table under `{HEADING}`")
    return [make_word(row["word"], row["instead"]) for row in rows[2:]]


def make_word(cell, instead):
    is_identifier = cell.startswith("`")
    text = cell.strip("`")
    pattern = compile_word(text, is_identifier)
    choices = [choice.strip().strip("`") for choice in instead.split(",")]
    allowed = tuple(
        compile_word(choice if is_identifier else f"{choice}*", is_identifier)
        for choice in choices
        if choice != text and pattern.search(choice)
    )
    part = max(re.split(r"[\s*]+", text.lower()), key=len)
    return Word(text, instead, is_identifier, pattern, part, allowed)


def compile_word(text, is_identifier):
    """Whole words. Outside of identifiers `_` separates words too: flush_settled() uses settle*."""
    parts = [re.escape(part).replace(r"\*", r"\w*") for part in text.split()]
    if is_identifier:
        return re.compile(rf"(?<!\w){BETWEEN.join(parts)}(?!\w)")
    spelled = BETWEEN.join(part.replace(r"\w*", "[A-Za-z]*") for part in parts)
    return re.compile(rf"(?<![A-Za-z]){spelled}(?![A-Za-z])", re.IGNORECASE)


def check_words(source, words):
    """Every use of one of `words` in a file, as (line, rule, what to write instead)."""
    if not matches(source.path, CHECKED) or matches(source.path, EXEMPT):
        return
    prose = spans = source.text
    if source.path.endswith(".md"):
        spans = without_code_blocks(source.text)
        prose = SPAN.sub(hide, spans)
    small = source.text.lower()
    for word in words:
        if word.part not in small:
            continue
        text = spans if word.is_identifier else prose
        for found in uses(word, text):
            line = text.count("\n", 0, found.start()) + 1
            yield line, "words", f"instead of `{' '.join(found.group().split())}`: {word.instead}"


def uses(word, text):
    spared = [found.span() for pattern in word.allowed for found in pattern.finditer(text)]
    for found in word.pattern.finditer(text):
        if not any(start <= found.start() < end for start, end in spared):
            yield found


def without_code_blocks(text):
    """Markdown with spaces in place of code blocks and of what links lead to."""
    for hidden in (FENCED, INDENTED, TARGET):
        text = hidden.sub(hide, text)
    return text


def hide(match):
    return re.sub(r"[^\n]", " ", match.group())
