#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the completion for bash of a program's --help: tools/completion.py PROGRAM -o FILE.

For programs with few options; farlinkctl makes its own (`farlinkctl completion bash`).
"""

import argparse
import pathlib
import re

from help_text import read_help

SCRIPT = """\
# Completion for bash of NAME; made by tools/completion.py of its --help.
_NAME() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    # Bash takes `--option=value` for three words.
    [[ $current == = ]] && current=
    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}
    COMPREPLY=()
    case $previous in
CASES
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "OPTIONS" -- "$current")
        return
    fi
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -W "COMMANDS" -f -- "$current")
}
complete -F _NAME NAME
"""
CASE = """\
        {names})
            mapfile -t COMPREPLY < <(compgen -W "{values}" -- "$current")
            return
            ;;"""
PLAIN = """\
        {names})
            return
            ;;"""


def words(values):
    """In one order, each once."""
    return " ".join(sorted(set(values)))


def case_of(option):
    """What may follow an option that takes a value."""
    names = "|".join(option.names)
    if " or " in option.allowed:
        return CASE.format(names=names, values=" ".join(option.allowed.split(" or ")))
    if option.value in ("UINT", "INT", "FLOAT") or re.fullmatch(r"\d\S*", option.value):
        return PLAIN.format(names=names)
    return ""


def script_of(page):
    options = [option for each in page.all() for option in each.entries("option")]
    cases = {case_of(option) for option in options} - {""}
    commands = [each.command[-1] for each in page.all()[1:]]
    replaced = {"NAME": page.command[0], "CASES": "\n".join(sorted(cases)),
                "OPTIONS": words(name for option in options for name in option.names),
                "COMMANDS": words(commands)}
    text = re.sub(r"\b(CASES|OPTIONS|COMMANDS)\b", lambda found: replaced[found[1]], SCRIPT)
    return re.sub(r"NAME\b", page.command[0], text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    text = script_of(read_help(arguments.program))
    # No option takes any value from a list: the case has no branches.
    text = text.replace("    case $previous in\n\n    esac\n", "")
    arguments.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
