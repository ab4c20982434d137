# SPDX-License-Identifier: Apache-2.0
"""The rules for single files; every rule yields (line, rule, what to do instead)."""

import re

from style import functions
from style.bans import BANS
from style.handlers import raw_handlers
from style.source import matches

MAX_COLUMNS = 100
WARN_LINES = 500
MAX_LINES = 800
MAX_FUNCTION_LINES = 70
HEADER_COMMENT_LINES = 3

LICENCE = "SPDX-License-Identifier: Apache-2.0"
LICENCE_LINE = re.compile(r"^\s*(?://|#|/\*|<!--)\s*SPDX-")
UNFINISHED = re.compile(r"\b(?:TO[D]O|FIX[M]E|X[X]X|HAC[K])\b")
UNREASONED = re.compile(r"NOLIN[T](?!END)(?:NEXTLINE|BEGIN)?(?!\w)(?!\([\w.,\- *]+\): \S)")
LENGTH_REASON = re.compile(r"^(?://|#) Length: \S", re.MULTILINE)

# Standards documents and loopback addresses; other addresses are not allowed.
LINKED_HOSTS = re.compile(
    r"""(?:www\.)?(?:rfc-editor|datatracker\.ietf|ietf|iana|w3|apache|json-schema|spdx
          |keepachangelog|semver|public\.ccsds|ccsds)\.(?:org|com)
      | 127\.0\.0\.1 | 0\.0\.0\.0 | [\w.-]*example(?:\.\w+)? | [{$<%*"'`]
    """,
    re.VERBOSE,
)
ADDRESS = re.compile(r"\bhttps?://(?P<host>[^\s/:)>\]]*\]?)")
MACHINE_PATH = re.compile(r"(?<![\w.}\])*$/-])/(?:home|root|Users|work|workspace)/")


def licence(source):
    expected = 1 if source.lines and source.lines[0].startswith("#!") else 0
    found = [place for place, line in enumerate(source.lines) if LICENCE_LINE.match(line)]
    if found != [expected] or LICENCE not in source.lines[expected]:
        yield expected + 1, "licence", f"one `{LICENCE}` here (behind a #! line), and no other"


def layout(source):
    for number, line in enumerate(source.lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, "columns", f"at most {MAX_COLUMNS} columns ({len(line)} here)"
        if "\t" in line:
            yield number, "tab", "spaces"
        if line != line.rstrip():
            yield number, "trailing-space", "nothing after the last character"
    if source.text and not source.text.endswith("\n"):
        yield len(source.lines), "last-line", "a line break at the end of the file"


def file_length(source):
    length = len(source.lines)
    if length > MAX_LINES:
        yield length, "file-length", f"split it by phase or direction: {MAX_LINES} lines at most"
    elif length > WARN_LINES and not LENGTH_REASON.search(source.text):
        advice = f"split it, or give the reason in a line `// Length: ...` ({length} lines)"
        yield length, "warning: file-length", advice


def function_length(source):
    finders = {"cpp": functions.cpp_functions, "python": functions.python_functions}
    for line, name, length in finders[source.language](source):
        if length > MAX_FUNCTION_LINES:
            advice = f"split {name}: {length} lines, at most {MAX_FUNCTION_LINES}"
            yield line, "function-length", advice


def header(source):
    if not any(line.strip() == "#pragma once" for line in source.lines):
        yield 1, "pragma-once", "#pragma once below the opening comment"
    opening = source.lines[1 : 1 + HEADER_COMMENT_LINES]
    if len(opening) < HEADER_COMMENT_LINES or any(not line.startswith("//") for line in opening):
        advice = "three lines that say what it is, who owns it and which thread may call it"
        yield 2, "header-opening", advice


def banned(source):
    for ban in BANS:
        if not matches(source.path, ban.where) or matches(source.path, ban.but):
            continue
        if not any(part in source.code for part in ban.parts):
            continue
        for number, line in enumerate(source.code_lines, 1):
            found = ban.pattern.search(line)
            if found and not (ban.rule == "allocation" and line.lstrip().startswith("#")):
                name = found.group().strip(" (")
                yield number, ban.rule, f"instead of `{name}`: {ban.instead}"


def remarks(source):
    for number, line in enumerate(source.lines, 1):
        if UNFINISHED.search(line):
            yield number, "unfinished", "finish it, or describe the present state"
        if UNREASONED.search(line):
            yield number, "unreasoned", "NOLIN" "T(check): reason"


def addresses(source):
    for number, line in enumerate(source.lines, 1):
        if MACHINE_PATH.search(line):
            yield number, "machine-path", "a path from the root of the tree"
        for found in ADDRESS.finditer(line):
            if "." in found["host"] and not LINKED_HOSTS.match(found["host"]):
                yield number, "address", "the name of the package or document, not its address"


CODE = (licence, layout, file_length, remarks, addresses, banned)
RULES = {
    "cpp": CODE + (function_length, raw_handlers),
    "python": CODE + (function_length,),
    "shell": CODE,
    "cmake": CODE,
    "script": CODE,
    "sheet": (licence, layout, file_length, addresses),
    "text": (addresses,),
}


def check(source):
    """Every violation in one file, as (line, rule, what to do instead), in the file's order."""
    rules = RULES[source.language] + ((header,) if source.is_header else ())
    return sorted(violation for rule in rules for violation in rule(source))
