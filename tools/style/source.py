# SPDX-License-Identifier: Apache-2.0
"""One file of the tree: its language, its lines, and its code without comments and strings."""

import functools
import os
import pathlib
import re

# In a work tree of git's, `.git` is a file that names a folder of this machine.
SKIPPED = {".git", "__pycache__", "node_modules"}
LANGUAGES = {
    ".cpp": "cpp",
    ".hpp": "cpp",
    ".py": "python",
    ".sh": "shell",
    ".cmake": "cmake",
    ".js": "script",
    ".mjs": "script",
    ".ts": "script",
    ".css": "sheet",
}
SHEBANGS = {"python": "python", "bash": "shell", "/sh": "shell"}
TEXT_SUFFIXES = {".in", ".md", ".txt", ".json", ".html", ".supp", ".yaml", ".yml", ".svg", ""}

# One C++ token that hides code: a comment, a raw string, a string, a character (but not the
# apostrophe of 1'000'000).
HIDING = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<!\w)'(?:\\.|[^'\\\n])+'
    """,
    re.VERBOSE | re.DOTALL,
)


def blank(match):
    """Spaces of the same shape, so that line and column numbers stay true."""
    text = match.group()
    quote = '"' if text[0] in "R\"" else " "
    hidden = re.sub(r"[^\n]", " ", text)
    return quote + hidden[1:-1] + quote if len(text) > 1 else hidden


class Source:
    """A file under the root; `path` is relative to it and written with slashes."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.splitlines()
        self.language = language_of(path, self.lines)

    @property
    def is_header(self):
        return self.path.endswith(".hpp")

    @functools.cached_property
    def code(self):
        """The text without comments and strings (C++ only), of the same shape."""
        return HIDING.sub(blank, self.text) if self.language == "cpp" else self.text

    @functools.cached_property
    def code_lines(self):
        return self.code.splitlines()


def language_of(path, lines):
    pure = pathlib.PurePosixPath(path)
    if pure.name == "CMakeLists.txt":
        return "cmake"
    if pure.suffix in LANGUAGES:
        return LANGUAGES[pure.suffix]
    if lines and lines[0].startswith("#!"):
        for word, language in SHEBANGS.items():
            if word in lines[0]:
                return language
    return "text"


def matches(path, patterns):
    """Whether a pattern covers `path`: `*` stays inside one folder, `**` does not."""
    return any(_compiled(pattern).fullmatch(path) for pattern in patterns)


@functools.cache
def _compiled(pattern):
    parts = re.split(r"(\*\*|\*)", pattern)
    spelled = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(spelled.get(part, re.escape(part)) for part in parts))


def read_tree(root):
    """Every text file under `root` outside of build folders, in a stable order."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if name not in SKIPPED and name != "build" and not name.startswith("build-")
        )
        for name in sorted(set(files) - SKIPPED):
            full = pathlib.Path(folder, name)
            if full.suffix not in LANGUAGES and full.suffix not in TEXT_SUFFIXES:
                continue
            try:
                text = full.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            yield Source(full.relative_to(root).as_posix(), text)
