#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The systemd units are good, closed where they can be, and start farlink as it can be started."""

import pathlib
import re

from support import MODULES, check, install, main, options_of, run

UNITS = ("farlink.service", "farlink@.service", "farlink.target")


def values(text, key):
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)


def units_are_verified(build, folder):
    units = install(build, folder) / "lib/systemd/system"
    check({unit.name for unit in units.iterdir()} == set(UNITS), "other units")
    said = run("systemd-analyze", "verify", "--man=no", *(units / unit for unit in UNITS))
    check(not said.strip(), said)


def units_name_documents_that_are_there(build, folder):
    tree = install(build, folder)
    for unit in UNITS:
        text = (tree / "lib/systemd/system" / unit).read_text(encoding="utf-8")
        for document in values(text, "Documentation")[0].split():
            kind, _, name = document.partition(":")
            page = tree / "share/man/man1" / name.replace("(1)", ".1")
            check((page if kind == "man" else pathlib.Path(name)).is_file(), f"{unit}: {document}")


def a_bad_unit_would_be_noticed(build, folder):
    unit = install(build, folder) / "lib/systemd/system/farlink.service"
    text = unit.read_text(encoding="utf-8")
    unit.write_text(text.replace("RestartSec=", "RestartSecond="), encoding="utf-8")
    said = run("sh", "-c", 'systemd-analyze verify --man=no "$1" 2>&1 || true', "sh", unit)
    check("RestartSecond" in said, f"not noticed: {said}")


def services_are_closed(build, folder):
    units = install(build, folder) / "lib/systemd/system"
    for unit in ("farlink.service", "farlink@.service"):
        run("systemd-analyze", "security", "--offline=true", "--threshold=20", units / unit)


def services_run_farlink_with_options_it_has(build, folder):
    tree = install(build, folder)
    known = options_of(run(tree / "bin/farlink", "--help"))
    for unit in ("farlink.service", "farlink@.service"):
        text = (tree / "lib/systemd/system" / unit).read_text(encoding="utf-8")
        program, *arguments = values(text, "ExecStart")[0].split()
        check(program == str(tree / "bin/farlink"), f"{unit} starts {program}")
        used = {word for word in arguments if word.startswith("-")}
        check(used and used <= known, f"{unit} uses {used - known}")
        check(values(text, "Type") == ["notify"] and values(text, "WatchdogSec"), unit)
        # A bad configuration is the exit code that prevents another start.
        done = run("sh", "-c", '"$@" --config /dev/null; echo "exit code $?"', "sh", program)
        code = re.search(r"exit code (\d+)", done)[1]
        check(values(text, "RestartPreventExitStatus") == [code], f"{unit}: {done}")


def processes_have_each_module_once(build, folder):
    tree = install(build, folder)
    example = tree / "share/doc/farlink/examples/service.json"
    found = ["storage"]  # an instance that is named by its module
    for file in sorted((tree / "etc/farlink/processes").glob("*.conf")):
        modules = values(file.read_text(encoding="utf-8"), "FARLINK_MODULES")
        check(len(modules) == 1, f"{file}: {modules}")
        found += modules[0].split(",")
        run(tree / "bin/farlink", "--config", example, "--modules", modules[0], "--check")
    check(sorted(found) == sorted(MODULES), f"the processes have {found}")
    run(tree / "bin/farlink", "--config", example, "--check")


def the_user_and_its_folders_can_be_made(build, folder):
    tree = install(build, folder / "usr")
    scratch = folder / "root"
    (scratch / "etc").mkdir(parents=True)
    for file in ("passwd", "group"):
        (scratch / "etc" / file).write_text("", encoding="utf-8")
    run("systemd-sysusers", f"--root={scratch}", "--dry-run", tree / "lib/sysusers.d/farlink.conf")
    lines = (tree / "lib/tmpfiles.d/farlink.conf").read_text(encoding="utf-8").splitlines()
    made = [line.split()[1] for line in lines if line.startswith("d ")]
    check(made == [str(tree / "etc/farlink"), str(tree / "etc/farlink/keys")], f"{made}")


if __name__ == "__main__":
    main(units_are_verified, units_name_documents_that_are_there, a_bad_unit_would_be_noticed,
         services_are_closed, services_run_farlink_with_options_it_has,
         processes_have_each_module_once, the_user_and_its_folders_can_be_made)
