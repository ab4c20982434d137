# SPDX-License-Identifier: Apache-2.0
"""Parses the --help output of farlink's programs.

Used for the manual pages, and by tests that compare files with the programs' options.
"""

import dataclasses
import re
import subprocess

COLUMN = 30  # where CLI11 begins a description, at an indent of two
NAMES = re.compile(r"(--?[\w-]+(?:,--?[\w-]+)*)(?: (.*))?$")
VALUE = re.compile(r"(?P<type>[A-Z]+)(?::(?P<check>\w+ in \[[^]]*\]|\{[^}]*\}|[^= ]*))?"
                   r"(?:=(?P<default>\S+))?"
                   r"(?P<several> \.\.\.)?(?P<required> REQUIRED)?(?P<rest> .*)?$")

# A long name with gaps, whose description is in the next line.
BOUNDED = re.compile(r"\s*--?[\w,-]+ [A-Z]+:[A-Z]+ in \[\S+ - \S+\](=\S+)?( \.\.\.)?( REQUIRED)?$")


@dataclasses.dataclass
class Entry:
    """An option, a positional or a subcommand."""

    names: list
    value: str = ""
    allowed: str = ""
    default: str = ""
    required: bool = False
    several: bool = False
    text: str = ""


@dataclasses.dataclass
class Section:
    """`Options`, `Positionals`, `Subcommands` or a group with a title of its own."""

    title: str
    note: str = ""
    entries: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Help:
    """A program, or one of its subcommands."""

    command: list
    about: str
    usage: str
    sections: list
    footer: str
    children: list = dataclasses.field(default_factory=list)

    def entries(self, kind):
        """The entries of all sections of a kind: option, positional or subcommand."""
        return [entry for section in self.sections for entry in section.entries
                if kind_of(section, entry) == kind]

    def runs(self):
        """False: it only has subcommands, of which one must follow."""
        return not self.children or "[SUBCOMMAND]" in self.usage

    def all(self):
        """This one and all below it."""
        return [self] + [found for child in self.children for found in child.all()]

    def exit_codes(self):
        """(code, meaning) of the footer's last sentence."""
        listed = re.search(r"Exit codes: (.*)", self.footer, re.DOTALL)
        if not listed:
            return []
        text = " ".join(listed[1].split()).rstrip(".")
        parts = re.split(r"(?:^|, )(\d+) ", text)[1:]
        return list(zip(parts[::2], parts[1::2]))

    def remarks(self):
        """The footer without the exit codes."""
        return " ".join(re.sub(r"Exit codes: .*", "", self.footer, flags=re.DOTALL).split())


def kind_of(section, entry):
    if entry.names[0].startswith("-"):
        return "option"
    return "subcommand" if section.title == "Subcommands" else "positional"


def read_value(entry, text):
    """`FLOAT:FLOAT in [0 - 1]=0`, `TEXT:250ms`, `UINT REQUIRED`: CLI11's spelling of values."""
    found = VALUE.match(text or "")
    if not found:
        return
    check = found["check"] or ""
    entry.value = found["type"]
    entry.default = found["default"] or ""
    entry.required = bool(found["required"])
    entry.several = bool(found["several"])
    bounds = re.match(r"\w+ in \[(\S+) - (\S+)\]", check)
    if bounds:
        entry.allowed = f"{bounds[1]} to {bounds[2]}"
    elif check.startswith("{"):
        entry.allowed = " or ".join(check.strip("{}").split(","))
    elif check:
        entry.value = check  # an example
    if found["rest"]:
        entry.text = found["rest"].strip()


def read_entry(line, indent):
    """The entry that a line begins; its description may be in the next one."""
    column = COLUMN + indent - 2
    if len(line) > column and line[column - 1] == " " and line[column] != " " \
            and not BOUNDED.match(line):
        head, text = line[:column].strip(), line[column:].strip()
    else:
        head, text = line.strip(), ""
    option = NAMES.match(head)
    if option:
        entry = Entry(option[1].split(","))
        read_value(entry, option[2])
    else:
        name, _, rest = head.partition(" ")
        entry = Entry([name])
        read_value(entry, rest)
    entry.text = f"{text} {entry.text}".strip()
    return entry


def parse(command, text):
    """The help text of `command`, a list of words."""
    about, _, rest = text.partition("Usage: ")
    usage, _, body = rest.partition("\n")
    sections, footer, deepest = [], [], None
    for line in body.splitlines():
        indent = len(line) - len(line.lstrip())
        title = re.match(r"(?:\[Option Group: (.*)\]|(\S.*):)$", line.strip())
        if not line.strip():
            continue
        if title and indent <= 2 and not footer:
            if title[1]:
                sections.append(Section(title[1].capitalize()))
            elif indent == 0 or title[2] not in ("Options", "Positionals"):  # those of a group
                sections.append(Section(title[2]))
            deepest = None
        elif indent == 0:
            footer.append(line)
        elif indent == 2 and sections[-1].title not in ("Options", "Positionals", "Subcommands") \
                and not line.strip().startswith("-"):
            sections[-1].note = f"{sections[-1].note} {line.strip()}".strip()
        elif deepest is not None and indent >= COLUMN:
            deepest.text = f"{deepest.text} {line.strip()}".strip()
        else:
            deepest = read_entry(line, indent)
            sections[-1].entries.append(deepest)
    return Help(command, about.strip(), usage.strip(), sections, "\n".join(footer))


def read_help(program, command=None):
    """Runs --help of a program and all its subcommands; `program` is the path of its file."""
    command = command or [program.name]
    done = subprocess.run([program.name, *command[1:], "--help"], executable=program,
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} --help: {done.stdout}{done.stderr}")
    found = parse(command, done.stdout)
    for entry in found.entries("subcommand"):
        found.children.append(read_help(program, [*command, entry.names[0]]))
    return found
