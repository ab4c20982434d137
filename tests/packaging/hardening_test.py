#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs are compiled and linked as cmake/Hardening.cmake says; read from the programs."""

import platform
import re

from support import PROGRAMS, check, main, run

FLAGS = ["-fstack-protector-strong", "-fstack-clash-protection"]
INTEL = platform.machine() == "x86_64"


def linked(build, folder):
    """Position-independent, all symbols resolved at the start and read-only from then on."""
    for name in sorted(PROGRAMS):
        program = build / "bin" / name
        header = run("readelf", "--wide", "--file-header", "--program-headers", program)
        check(re.search(r"Type:\s+DYN \(Position-Independent", header), f"{name}: no PIE")
        check("GNU_RELRO" in header, f"{name}: no GNU_RELRO")
        stack = re.search(r"GNU_STACK.*", header)
        check(stack and "E" not in stack[0].split()[-2], f"{name}: {stack and stack[0]}")
        dynamic = run("readelf", "--wide", "--dynamic", program)
        check(re.search(r"\(FLAGS_1\).*\bNOW\b", dynamic), f"{name}: not BIND_NOW")


def every_unit_is_compiled_with_the_flags(build, folder):
    """The compiler records its flags for each file (-frecord-gcc-switches in CMakePresets.json)."""
    wanted = FLAGS + (["-fcf-protection=full"] if INTEL else [])
    for name in sorted(PROGRAMS):
        text = run("readelf", "--string-dump=.GCC.command.line", build / "bin" / name)
        commands = re.findall(r"GNU C\+\+.*", text)
        check(commands, f"{name}: does not name its flags")
        for command in commands:
            missing = [flag for flag in wanted if flag not in command.split()]
            check(not missing, f"{name}: a file without {missing}: {command}")


def symbols(program):
    return set(re.findall(r"\bUND (\w+)", run("readelf", "--wide", "--dyn-syms", program)))


def checked_calls(build, folder):
    """Sizes of the C library's copies, canaries, and the standard library's indices."""
    for name in sorted(PROGRAMS):
        found = symbols(build / "bin" / name)
        check(any(re.fullmatch(r"__\w+_chk", one) for one in found - {"__stack_chk_fail"}),
              f"{name}: no checked copies")
        check("__stack_chk_fail" in found, f"{name}: no stack protector")
        check(any("__glibcxx_assert_fail" in one for one in found), f"{name}: no assertions")


def control_flow(build, folder):
    """The mark of the shadow stack, and functions that begin with endbr64."""
    if not INTEL:
        return
    for name in sorted(PROGRAMS):
        program = build / "bin" / name
        check("SHSTK" in run("readelf", "--wide", "--notes", program), f"{name}: not SHSTK")
    main_code = run("objdump", "--disassemble=main", "--no-show-raw-insn", build / "bin/farlink")
    first = re.search(r"<main>:\n\s*[0-9a-f]+:\s+(\w+)", main_code)
    check(first and first[1] == "endbr64", "main does not begin with endbr64")


if __name__ == "__main__":
    main(linked, every_unit_is_compiled_with_the_flags, checked_calls, control_flow)
