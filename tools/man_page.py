#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a manual page of a program's --help: tools/man_page.py PROGRAM --version V -o PAGE.

The sections that --help lacks (files, signals, related pages) are in packaging/man/pages.toml. The
date is that of the latest entry in packaging/debian/changelog, so that pages are reproducible.
"""

import argparse
import email.utils
import pathlib
import re
import textwrap
import tomllib

from help_text import read_help

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "packaging/man/pages.toml"
CHANGELOG = ROOT / "packaging/debian/changelog"


def escape(text):
    """Text that roff takes literally; hyphens stay hyphens that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def bold(text):
    return f"\\fB{escape(text)}\\fR"


def italic(text):
    return f"\\fI{escape(text)}\\fR"


def prose(text):
    """Escaped; text in `backquotes` is bold."""
    parts = re.split(r"`([^`]*)`", " ".join(text.split()))
    roff = "".join(bold(part) if place % 2 else escape(part) for place, part in enumerate(parts))
    lines = textwrap.wrap(roff, 78, break_long_words=False, break_on_hyphens=False)
    return "\n".join("\\&" + line if line[0] in ".'" else line for line in lines)


def sentence(text):
    """With a capital, and a full stop."""
    text = text.strip()
    if not text:
        return ""
    begin = text[0] if "/" in text.split()[0] else text[0].upper()  # not of an address
    return begin + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def about(page):
    """`farlink: a router` and `Sends bundles` in the form of a manual page's NAME."""
    text = page.about.removeprefix(f"{page.command[0]}: ").rstrip(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def form(entry):
    """The entry in the form of a command line."""
    names = ", ".join(bold(name) for name in entry.names)
    if not entry.names[0].startswith("-"):
        return italic(entry.names[0]) + (" ..." if entry.several else "")
    return names + (f" {italic(entry.value)}" if entry.value else "")


def described(entry):
    """The description, with the allowed values, the default, and whether it is required."""
    text = entry.text.rstrip(".")
    facts = []
    if entry.allowed:
        facts.append(f"Allowed: {entry.allowed}.")
    if entry.default:
        facts.append(f"Default: {entry.default}.")
    if entry.required and entry.names[0].startswith("-"):
        facts.append("Required.")
    if entry.several and entry.names[0].startswith("-") and "repeat" not in text:
        facts.append("May be given several times.")
    return prose(" ".join([sentence(text), *facts]).strip())


def synopsis(page):
    """One line per command: required entries by name, the rest as options."""
    lines = []
    for command in page.all():
        if not command.runs():
            continue
        words = [bold(" ".join(command.command))]
        entries = command.entries("option")
        words += [f"{bold(entry.names[-1])} {italic(entry.value)}"
                  for entry in entries if entry.required]
        if any(not entry.required for entry in entries):
            words.append("[" + italic("OPTION") + " ...]")
        for entry in command.entries("positional"):
            word = form(entry)
            words.append(word if entry.required else f"[{word}]")
        lines.append(" ".join(words))
    return "\n.br\n".join(lines)


def entries_of(page, skip_help):
    """The paragraphs of a command's options and positionals, group by group."""
    lines = []
    for section in page.sections:
        if section.title == "Subcommands":
            continue
        entries = [entry for entry in section.entries
                   if not (skip_help and "--help" in entry.names)]
        if entries and section.title not in ("Options", "Positionals"):
            note = re.sub(r"\[(.*)\]", "", section.note).strip()
            choice = "exactly one of these" if "Exactly 1" in section.note else ""
            text = ", ".join(part for part in (note or section.title, choice) if part)
            lines += [".PP", prose(sentence(text).rstrip(".") + ":")]
        for entry in entries:
            text = described(entry)
            lines += [".TP", form(entry)] + ([text] if text else ["\\&"])
    return lines


def commands_of(page):
    lines = []
    for command in page.all()[1:]:
        if not command.runs():
            continue
        lines += [f'.SS "{escape(" ".join(command.command))}"', prose(sentence(command.about))]
        lines += entries_of(command, skip_help=True)
    return lines


def pairs(title, rows):
    lines = [f".SH {title}"]
    for head, text in rows:
        lines += [".TP", bold(head), prose(sentence(text))]
    return lines


def page_of(program, version, date, more):
    """The whole page as roff."""
    page = read_help(program)
    name = program.name
    lines = [f'.TH {name.upper()} 1 "{date}" "farlink {version}" "farlink"',
             ".SH NAME", f"{escape(name)} \\- {escape(about(page))}",
             ".SH SYNOPSIS", ".nh", ".ad l", synopsis(page), ".ad b", ".hy",
             ".SH DESCRIPTION"]
    paragraphs = [*more.get("description", []), page.remarks()]
    lines.append("\n.PP\n".join(prose(text) for text in paragraphs if text))
    lines += [".SH OPTIONS", *entries_of(page, skip_help=False)]
    if page.children:
        lines += [".SH COMMANDS", *commands_of(page)]
    lines += pairs("EXIT STATUS", page.exit_codes())
    for title in ("signals", "environment", "files"):
        if more.get(title):
            lines += pairs(title.upper(), more[title].items())
    lines += [".SH SEE ALSO"]
    lines += [",\n".join(f"\\fB{escape(other)}\\fR({section})" for other, section in
                         (entry.strip(")").split("(") for entry in more["see_also"]))]
    return "\n".join(lines) + "\n"


def date_of(changelog):
    """The day of the latest entry, from its trailer line."""
    trailer = re.search(r"^ -- .*>  (.*)$", changelog.read_text(encoding="utf-8"), re.MULTILINE)
    return email.utils.parsedate_to_datetime(trailer[1]).date().isoformat()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("-o", "--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    more = tomllib.loads(PAGES.read_text(encoding="utf-8"))
    text = page_of(options.program, options.version, date_of(CHANGELOG),
                   more[options.program.name])
    options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
