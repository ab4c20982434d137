#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy of the files that were changed, or of those named, within a time limit.

    tools/dev/lint.py --build build/lint --seconds 300
    tools/dev/lint.py --build build/lint common/bp/crc.cpp

Changed files differ from the merge base with the main branch. Without a merge base, as in a clone
without a remote whose only branch is the one to check, they are those of the last COMMITS commits.
A header is checked through the source file beside it. The latest changes are checked first; the
last line reports how many files the time limit left out.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

COMMITS = 20
MAIN = ("origin/HEAD", "origin/main", "main")
# The compile commands are for g++: clang has other warnings, and rejects some of g++'s.
EXTRA = ("-Wno-unknown-warning-option", "-Wno-conversion")


def git(root, *arguments):
    """The lines that git prints; none when it fails."""
    done = subprocess.run(["git", *arguments], cwd=root, check=False, capture_output=True,
                          text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def base_of(root):
    """The commit before the changes, and how it was found."""
    head = git(root, "rev-parse", "HEAD")
    for name in MAIN:
        found = git(root, "merge-base", "HEAD", name)
        if found and found != head:
            return found[0], f"the merge base with {name}"
    # The oldest of them, also in a shorter or shallow history.
    commits = git(root, "rev-list", "--first-parent", f"--max-count={COMMITS + 1}", "HEAD")
    return (commits[-1] if commits else None), f"the commit {len(commits) - 1} before"


def changed_files(root):
    """Source files that differ from the base, the latest change first, and the base as text."""
    base, words = base_of(root)
    if base is None:
        return [], "no history"
    names = git(root, "diff", "--name-only", "HEAD")
    names += git(root, "ls-files", "--others", "--exclude-standard")
    names += git(root, "log", "--format=", "--name-only", f"{base}..HEAD")
    files = []
    for name in dict.fromkeys(names):
        file = pathlib.PurePosixPath(name)
        source = str(file.with_suffix(".cpp"))
        if file.suffix in (".cpp", ".hpp") and (root / source).is_file() and source not in files:
            files.append(source)
    return files, words


def compiled(build, root):
    """The source files of a compile_commands.json, by their path in the tree."""
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        found = {os.path.relpath(entry["file"], root) for entry in json.load(file)}
    if any("unity_" in os.path.basename(name) for name in found):
        raise SystemExit(f"lint: {build} is a unity build, which names no file of the tree")
    return found


def tidy(build, root, name, deadline):
    """(exit code, text) of clang-tidy on a file; None when the time limit is reached."""
    if time.monotonic() >= deadline:
        return None
    try:
        done = subprocess.run(
            ["clang-tidy-19", "--quiet", "-p", str(build),
             *(f"--extra-arg={flag}" for flag in EXTRA), name],
            cwd=root, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=max(1.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path.cwd())
    parser.add_argument("--seconds", type=float, default=86400)
    parser.add_argument("--list", action="store_true", help="only names the changed files")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    root = options.root.resolve()
    files, words = (options.files, "") if options.files else changed_files(root)
    if options.list:
        print("\n".join(files))
        return 0
    known = compiled(options.build.resolve(), root)
    files = [name for name in files if name in known or options.files]
    deadline = time.monotonic() + options.seconds
    looked, faults = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, found in zip(files, pool.map(
                lambda name: tidy(options.build.resolve(), root, name, deadline), files)):
            if found is None:
                continue
            looked += 1
            if found[0] != 0:
                faults += 1
                print(f"{name}:\n{found[1]}", flush=True)
    print(f"lint: {looked} of {len(files)} files" + (f" changed since {words}" if words else "")
          + (f" within {options.seconds:.0f} s" if looked < len(files) else "")
          + f", {faults} with faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
