#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of a fresh clone build all that they need, and their page is there.

The README's first command runs in a folder where nothing is built: a ninja of the test's own hands
out, of the programs and folders that are built already, only those that it is asked for.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import urllib.request

from support import ROOT, check, main, run

LIMIT_S = 60
CLONE = ("farlink-dev", "CMakePresets.json", "config")
NINJA = """#!/bin/sh
# ninja -C FOLDER -j N TARGET...
folder=$2 && shift 4 && mkdir -p "$folder/bin"
[ $# -gt 0 ] || { echo "all of it is built"; exit 1; }
for target; do
    if [ "$target" = webui ]; then cp -r "$BUILT/webui" "$folder/"
    else cp "$BUILT/bin/$target" "$folder/bin/" || exit 1
    fi
done
"""
CMAKE = """#!/bin/sh
mkdir -p build/release && touch build/release/build.ninja build/release/CMakeCache.txt
"""
PAGE = re.compile(r"the dashboard is at (\S+)")


def clean_clone(folder):
    """A clone where nothing is built, and what lends it the programs."""
    for name in CLONE:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "lent").mkdir()
    for name, text in (("ninja", NINJA), ("cmake", CMAKE)):
        (folder / "lent" / name).write_text(text, encoding="utf-8")
        (folder / "lent" / name).chmod(0o755)


def environment(build, folder):
    return {**os.environ, "PATH": f"{folder / 'lent'}:{os.environ['PATH']}", "BUILT": str(build),
            "FARLINK_SKIP_PACKAGES": "1", "TMPDIR": str(folder)}


def start(command, build, folder):
    return subprocess.Popen(command, cwd=folder, env=environment(build, folder), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            start_new_session=True)


def stop(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def advertised(process):
    """The address of the page that the command prints."""
    late = threading.Timer(LIMIT_S, stop, [process])
    late.start()
    seen = []
    for line in process.stdout:
        seen.append(line)
        found = PAGE.search(line)
        if found:
            late.cancel()
            return found[1]
    late.cancel()
    raise AssertionError("no address of a dashboard:\n" + "".join(seen))


def first_command():
    """The first command of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(r"^(\./farlink-dev [a-z]+)", text, re.MULTILINE)[1].split()


def the_first_command_has_its_page(build, folder):
    clean_clone(folder)
    process = start(first_command(), build, folder)
    try:
        with urllib.request.urlopen(advertised(process), timeout=LIMIT_S) as answer:
            page = answer.read().decode()
        check("<html" in page and "farlink" in page, page)
        for name in re.findall(r'(?:src|href)="\.?/?(assets/[^"]+)"', page):
            check((pathlib.Path(build) / "webui" / name).is_file(), f"no {name}")
    finally:
        stop(process)


def a_network_has_the_page_of_its_nodes(build, folder):
    clean_clone(folder)
    process = start(["./farlink-dev", "network", "no-such-folder"], build, folder)
    try:
        said, _ = process.communicate(timeout=LIMIT_S)
    finally:
        stop(process)
    check("no network no-such-folder; known: four_box_2s" in said, said)
    check((folder / "build/release/webui/index.html").is_file(), "the page is not built")


def what_is_installed_is_built_for_it(build, _folder):
    """Each path of the build folder that is installed is made by the target `installed`."""
    asked = re.search(r"do_package\(\).*?build release (.*?)(?: #.*)?\n",
                      (ROOT / "farlink-dev").read_text(encoding="utf-8"), re.DOTALL)[1]
    check(asked == "installed", f"package builds {asked}")
    made = run("ninja", "-C", build, "-t", "commands", "installed")
    script = (build / "cmake_install.cmake").read_text(encoding="utf-8")
    wanted = set(re.findall(rf'"{re.escape(str(build))}/([^"$]+)"', script))
    wanted = {name for name in wanted if not name.endswith(".cmake")}
    check(len(wanted) > 10 and "webui/" in wanted, f"{wanted}")
    wanted = {"webui.stamp" if name == "webui/" else name for name in wanted}
    missing = [name for name in wanted if not re.search(rf"[ /]{re.escape(name)}(?= |$)", made,
                                                        re.MULTILINE)]
    check(not missing, f"installed, not built for it: {missing}")



if __name__ == "__main__":
    main(the_first_command_has_its_page, a_network_has_the_page_of_its_nodes,
         what_is_installed_is_built_for_it)
