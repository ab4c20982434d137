# SPDX-License-Identifier: Apache-2.0
"""The blocks of the documents, and what the comment before each says about it.

- `<!-- commands: SETUP... -->`: tests/verify/documents_test.py runs it, after the functions
  `setup_...`; `; numbers differ` behind that: the numbers in the output of a console block differ.
- `<!-- commands not run: REASON -->`: why not, and what tests it instead.
- `<!-- output -->`: what the commands of the block before print; `output of COMMAND` is what one of
  them prints, by its first words; `; numbers differ` as above.
- `<!-- output that PATH compares -->`: of commands that another test runs.
- `<!-- file: PATH -->`: lines of this file.
- `<!-- no commands: WHAT -->`: a picture, a form, lines of a log.

A block of JSON without a comment is a configuration of a node or a contact plan, which has to be
valid. Every other block needs one of these comments.
"""

import dataclasses
import json
import pathlib
import re

from style.source import SKIPPED

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^ *(?P<fence>```+|~~~+) *(?P<kind>[^`]*)$")
COMMENT = re.compile(r"^ *<!-- (?P<text>.*) -->$")
MARKS = {
    "commands": re.compile(r"commands:(?P<setups>[\w ]*)(?P<numbers>; numbers differ)?"),
    "commands not run": re.compile(r"commands not run: (?P<why>.+)"),
    "output elsewhere": re.compile(r"output that (?P<why>\S+) compares"),
    "output": re.compile(r"output(?: of (?P<of>.+?))?(?P<numbers>; numbers differ)?"),
    "file": re.compile(r"file: (?P<path>\S+)"),
    "no commands": re.compile(r"no commands: (?P<why>.+)"),
}
RUNNABLE = {"sh", "bash", "console", "python", "cpp"}
WORDS = {"cd", "cmake", "cp", "ctest", "curl", "docker", "export", "git", "kill", "mkdir", "ninja",
         "npm", "openssl", "perf", "pip", "python3", "scp", "sudo", "systemctl"}
# A path in a reason, such as tests/integration/security_test.py.
PATH = re.compile(r"\b(?:[\w.-]+/)+[\w.-]+\.\w+")


@dataclasses.dataclass
class Block:
    document: str
    line: int  # of its fence
    kind: str  # as the fence says
    text: str
    comment: str = ""  # before it
    sort: str = ""  # a key of MARKS; empty: there is no such comment
    mark: dict = dataclasses.field(default_factory=dict)  # the groups of the comment

    @property
    def place(self):
        return f"{self.document}:{self.line}"

    def setups(self):
        return self.mark["setups"].split()


def documents(root=ROOT):
    """The paths of all documents, in a stable order."""
    for path in sorted(root.rglob("*.md")):
        inside = path.relative_to(root)
        if not any(part in SKIPPED or part.startswith("build") for part in inside.parts):
            yield inside.as_posix()


def read_mark(block):
    for sort, form in MARKS.items():
        found = form.fullmatch(block.comment)
        if found:
            block.sort, block.mark = sort, found.groupdict()
    return block


def comment_before(lines, index):
    """In the line before, or before an empty one."""
    while index > 0 and not lines[index - 1].strip():
        index -= 1
    found = COMMENT.match(lines[index - 1]) if index > 0 else None
    return found["text"] if found else ""


def blocks_of(document, text):
    """The fenced blocks, and after each the indented ones up to the next."""
    lines = text.splitlines()
    index = 0
    while index < len(lines):
        fence = FENCE.match(lines[index])
        begin, index = index, index + 1
        if not fence:
            continue
        while index < len(lines) and lines[index].strip() != fence["fence"]:
            index += 1
        yield read_mark(Block(document, begin + 1, fence["kind"].strip(),
                              "".join(line + "\n" for line in lines[begin + 1:index]),
                              comment_before(lines, begin)))
        index += 1


def indented(document, text):
    """(place, line) of each line of blocks without a fence."""
    fence, code, before = None, False, ""
    for number, line in enumerate(text.splitlines(), 1):
        found = FENCE.match(line)
        if fence or found:
            fence = None if fence and line.strip() == fence else fence or found["fence"]
        else:
            code = bool(re.match(r" {4,}\S", line)) and (code or not before.strip())
            if code:
                yield f"{document}:{number}", line.strip()
        before = line


def programs(root=ROOT):
    """The names of farlink's programs."""
    listed = (root / "apps/CMakeLists.txt").read_text(encoding="utf-8")
    return set(re.findall(r"farlink_program\(([\w-]+)", listed)) | {"farlink", "farlink-dev"}


def is_command(line, names):
    words = line.split()
    name = words[0] if words else ""
    if re.search(r"(^| )\$ \w", line) or name.startswith("./") or name.endswith(".py"):
        return True
    if "/" in name:
        return name.rpartition("/")[2] in names
    if name == "farlink" and not line.startswith("farlink -"):
        return False
    # A picture begins with names, too: `bpgen ──►`.
    return name in names | WORDS and (len(words) == 1 or words[1].isascii())


def valid_json(text):
    """The values of a block: an object, or members of one; `...` stands for others."""
    text = re.sub(r'(, *)?"\.\.\.": *"\.\.\."|,\s*\.\.\.(?=\s*[\]}])', "", text)
    return json.loads(text if text.lstrip().startswith("{") else "{" + text + "}")


def fault_of_mark(block, before, root):
    if block.sort == "output" and before is None:
        return "no block of commands before it is run"
    if block.sort == "file":
        path = root / block.mark["path"]
        if not path.is_file() or block.text not in path.read_text(encoding="utf-8"):
            return f"it is not in {block.mark['path']}"
    missing = [path for path in PATH.findall(block.mark.get("why") or "")
               if not (root / path).exists()]
    return f"there is no {', '.join(missing)}" if missing else ""


def fault_of(block, before, names, setups, root):
    """What is wrong with a block and its comment; empty: nothing."""
    kind = block.kind.partition(" ")[0]
    if not block.sort:
        if kind != "json":
            return "the line before does not say what the block is (tools/documents.py)"
        try:
            valid_json(block.text)
        except ValueError as error:
            return f"neither a configuration nor a comment that says what it is: {error}"
    if kind in RUNNABLE and not block.sort.startswith("commands"):
        return "the line before says neither how its commands run nor why not"
    if block.sort == "commands" and kind not in RUNNABLE | {"json"}:
        return "its kind is not one that is run"
    if block.sort == "commands" and not set(block.setups()) <= setups:
        return f"there is no such setup: {' '.join(set(block.setups()) - setups)}"
    if block.sort == "no commands":
        wrong = [line for line in block.text.splitlines() if is_command(line, names)]
        if wrong:
            return f"it has a command: {wrong[0]}"
    return fault_of_mark(block, before, root)


def faults(document, text, setups, names, root=ROOT):
    """(place, what is wrong)."""
    before = None
    for block in blocks_of(document, text):
        fault = fault_of(block, before, names, setups, root)
        if fault:
            yield block.place, fault
        if block.kind.partition(" ")[0] in RUNNABLE:
            before = block if block.sort == "commands" else None
    for place, line in indented(document, text):
        if is_command(line, names):
            yield place, f"a command without a fence: {line}"


# What differs from run to run: times, tokens, numbers with their prefixes, and widths of columns.
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
TOKEN = re.compile(r"\b[0-9a-f]{16,}\b")
NUMBER = re.compile(r"(?:(?<!\w)[-+])?\d[\d,]*(?:\.\d+)?"
                    r"(?: ?[kMGT]i?(?=[Bb/ ]|$)| (?=B\b|bit))?")


def without_numbers(text):
    text = NUMBER.sub("N", TOKEN.sub("N", MOMENT.sub("T", text)))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return "".join(re.sub(r"(?<=[(+]) N", "N", line) + "\n" for line in lines)


def is_shown(shown, said, numbers_differ):
    """Whether a document shows what a command said; `...` in a line stands for any lines."""
    if numbers_differ:
        shown, said = without_numbers(shown), without_numbers(said)
    first, *others = re.split(r"^ *\.\.\.\n", shown, flags=re.MULTILINE)
    if not others:
        return shown == said
    if not said.startswith(first):
        return False
    at = len(first)
    for part in others[:-1]:
        found = f"\n{said}".find(f"\n{part}", at)  # at the beginning of a line
        if found < 0:
            return False
        at = found + len(part)
    rest = f"\n{said[at:]}"
    return rest.endswith(f"\n{others[-1]}")
