#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy of the files that were changed, or of those named, within a time limit.

    tools/dev/lint.py --build build/lint --seconds 300
    tools/dev/lint.py --build build/lint --seconds 900 --rotate
    tools/dev/lint.py --build build/lint common/codec/crc.cpp

Most of the time goes into what a file includes. So up to GROUP files of a library are joined to
one, which is possible wherever a unity build is; tests are looked at one by one. They are joined as
text, since some checks look at nothing that is included.

Changed files differ from the merge base with the main branch. Without a merge base, as in a clone
without a remote whose only branch is the one to check, they are those of the last COMMITS commits.
A header is checked through the source file beside it. The latest changes are checked first, and
with --rotate all other files after them, from a place on that the commit chooses. The last line
reports how many files the time limit left out.
"""

import argparse
import bisect
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import rotate

COMMITS = 20
GROUP = 24
OBJECT = re.compile(r" -o (\S+)")
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
    """The entries of a compile_commands.json, by the path of their source file in the tree."""
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        found = {os.path.relpath(entry["file"], root): entry for entry in json.load(file)}
    if any("unity_" in os.path.basename(name) for name in found):
        raise SystemExit(f"lint: {build} is a unity build, which names no file of the tree")
    return found


def library_of(entry):
    """The folder of the objects of a library or program."""
    return OBJECT.search(entry["command"])[1].split(".dir/")[0]


def grouped(names, known):
    """The names in lists that are looked at as one each. The lists have the order of their first
    name, and are sorted, as the files of a unity build are."""
    groups, open_groups = [], {}
    for name in names:
        library = name if name.startswith("tests/") else library_of(known[name])
        group = open_groups.get(library)
        if group is None or len(group) == GROUP:
            group = open_groups[library] = []
            groups.append(group)
        group.append(name)
    return [sorted(group) for group in groups]


def rotated(names, key):
    """The names from one on that the key chooses, and then those before it."""
    names = sorted(names)
    first = names.index(rotate.choose(names, key)) if names else 0
    return names[first:] + names[:first]


def joined(texts):
    """The text of several source files, and the first line of each: what one of them includes is
    not included again."""
    lines, begins, included = [], [], set()
    for text in texts:
        begins.append(len(lines) + 1)
        own = set()
        for line in text.splitlines():
            again = line in included and line not in own
            if line.startswith("#include"):
                own.add(line)
            lines.append("" if again else line)
        included |= own
    return "\n".join(lines) + "\n", begins


def as_one(build, root, known, group):
    """Writes a source file for a group. Returns it, the folder of its compile command, and where
    each file of the group begins in it."""
    if len(group) == 1:
        return group[0], build, []
    name = hashlib.sha256("\n".join(group).encode()).hexdigest()[:16]
    folder = build / "groups" / name
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name}.cpp"
    text, begins = joined((root / each).read_text(encoding="utf-8") for each in group)
    source.write_text(text, encoding="utf-8")
    entry = known[group[0]]
    command = entry["command"].replace(entry["file"], str(source))
    (folder / "compile_commands.json").write_text(
        json.dumps([{**entry, "file": str(source), "command": command}]), encoding="utf-8")
    return str(source), folder, begins


def in_files(text, source, group, begins):
    """The output about the source file of a group, with the files and lines of the tree."""
    def place(match):
        line = int(match[1])
        at = bisect.bisect_right(begins, line) - 1
        return f"{group[at]}:{line - begins[at] + 1}"
    return re.sub(re.escape(source) + r":(\d+)", place, text) if begins else text


def tidy(build, root, known, group, deadline):
    """(exit code, text) of clang-tidy on a group; None when the time limit is reached."""
    if time.monotonic() >= deadline:
        return None
    source, folder, begins = as_one(build, root, known, group)
    try:
        done = subprocess.run(
            ["clang-tidy-19", "--quiet", "-p", str(folder),
             *(f"--extra-arg={flag}" for flag in EXTRA), source],
            cwd=root, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=max(1.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, in_files(done.stdout, source, group, begins)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path.cwd())
    parser.add_argument("--seconds", type=float, default=86400)
    parser.add_argument("--rotate", action="store_true", help="all other files after the changed")
    parser.add_argument("--list", action="store_true", help="only names the changed files")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    root, build = options.root.resolve(), options.build.resolve()
    files, words = (options.files, "") if options.files else changed_files(root)
    if options.list:
        print("\n".join(files))
        return 0
    known = compiled(build, root)
    unknown = [name for name in options.files if name not in known]
    if unknown:
        raise SystemExit(f"lint: not compiled: {' '.join(unknown)}")
    files = [name for name in files if name in known]
    words = f"{len(files)} changed since {words}" if words else ""
    groups = grouped(files, known)
    if options.rotate:
        others = [name for name in known if name not in files and (root / name).is_file()
                  and not name.startswith("build/")]
        groups += grouped(rotated(others, rotate.key(root)), known)
    return look(build, root, known, groups, words, options.seconds)


def look(build, root, known, groups, words, seconds):
    """Looks at the groups in their order; prints faults and a closing line."""
    deadline = time.monotonic() + seconds
    looked, faults, whole = 0, 0, sum(len(group) for group in groups)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for group, found in zip(groups, pool.map(
                lambda group: tidy(build, root, known, group, deadline), groups)):
            if found is None:
                continue
            looked += len(group)
            if found[0] != 0:
                faults += 1
                print(f"{' '.join(group)}:\n{found[1]}", flush=True)
    print(f"lint: {looked} of {whole} files" + (f" ({words})" if words else "")
          + (f" within {seconds:.0f} s" if looked < whole else "")
          + f", {'no faults' if faults == 0 else f'faults in {faults} groups'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
