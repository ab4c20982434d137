#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every installed program has a manual page that names all its options, and is good roff."""

import re

from support import PROGRAMS, ROOT, check, install, main, options_of, run
from help_text import read_help

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"]


def page_text(page):
    """The page as a terminal shows it, in lines that are not cut."""
    roff = run("groff", "-man", "-Tascii", "-P-cbou", "-rLL=400n", page)
    return re.sub(r"\x1b\[\d*m", "", roff)


def every_program_has_a_page_that_names_its_options(build, folder):
    tree = install(build, folder)
    check({file.name for file in (tree / "bin").iterdir()} == PROGRAMS, "other programs")
    for name in sorted(PROGRAMS):
        text = page_text(tree / f"share/man/man1/{name}.1")
        for title in SECTIONS:
            check(re.search(rf"^{title}$", text, re.MULTILINE), f"{name}: no section {title}")
        for command in read_help(tree / "bin" / name).all():
            said = run(tree / "bin" / name, *command.command[1:], "--help")
            for option in options_of(said):
                check(re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text),
                      f"{name}: {' '.join(command.command)} has {option}, the page has not")
            if command.runs():
                check(" ".join(command.command) in text, f"{name}: no {command.command}")


def pages_are_good_roff(build, folder):
    tree = install(build, folder)
    for page in sorted((tree / "share/man/man1").iterdir()):
        for checker in (["man", "--warnings", "-l"], ["groff", "-man", "-ww", "-Tutf8"]):
            # What is wrong is told on standard error, and the exit code is 0.
            said = run("sh", "-c", '"$@" 2>&1 >/dev/null', "sh", *checker, page)
            check(not said.strip(), f"{page.name}: {said}")
        run("mandoc", "-T", "lint", "-W", "warning", page)


def exit_codes_are_those_of_the_guide(build, folder):
    tree = install(build, folder)
    guide = (ROOT / "docs/guide/processes.md").read_text(encoding="utf-8")
    table = guide.partition("## Exit codes of `farlink`")[2]
    documented = set(re.findall(r"^\| (\d+) \|", table, re.MULTILINE))
    codes = {code for code, _ in read_help(tree / "bin/farlink").exit_codes()}
    check(codes == documented and codes, f"--help has {codes}, the guide {documented}")
    for name in sorted(PROGRAMS):
        check(read_help(tree / "bin" / name).exit_codes(), f"{name} --help tells no exit codes")


if __name__ == "__main__":
    main(every_program_has_a_page_that_names_its_options, pages_are_good_roff,
         exit_codes_are_those_of_the_guide)
