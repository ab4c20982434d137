#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of the data path with callgrind and compares them with the baseline.

    tools/dev/instructions.py --build build/release            compares; exits 1 beyond 2 %
    tools/dev/instructions.py --build build/release --renew    writes the baseline

A count is that of one bundle: the difference between a long and a short run, without the start. The
baseline, tests/instructions/baseline.json, has a key for compiler and instruction set; with another
one, or without valgrind, nothing is compared (exit code 77).
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASELINE = ROOT / "tests/instructions/baseline.json"
TOLERANCE = 0.02
SKIPPED = 77
# The processor features by which the codecs choose their kernels, as far as valgrind supports them.
CPU_FLAGS = ("sse4_2", "pclmulqdq", "avx2", "bmi2")
# name: mode of data_path, octets of payload, bundles of the short and of the long run
CASES = {
    "forward-100B": ("forward", 100, 20_000, 60_000),
    "forward-100kB": ("forward", 100_000, 100, 300),
    "store-100B": ("store", 100, 2_000, 6_000),
}
REFS = re.compile(r"I +refs: +([\d,]+)")


def count(program, what, payload, bundles, folder):
    """The instructions of a whole run."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", str(program), what,
         str(bundles), str(payload)], capture_output=True, text=True, check=False)
    found = REFS.search(done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"data_path {what} {bundles} {payload} failed: {done.stderr[-2000:]}")
    return int(found[1].replace(",", ""))


def measure(program):
    with tempfile.TemporaryDirectory(prefix="farlink-instructions-") as folder:
        return {name: round((count(program, what, payload, long, folder)
                             - count(program, what, payload, short, folder)) / (long - short), 1)
                for name, (what, payload, short, long) in CASES.items()}


def key(build):
    """Compiler and instruction set of a build; builds with other flags are not compared."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE)[1]
    version = subprocess.run([compiler, "-dumpfullversion"], check=True, capture_output=True,
                             text=True).stdout.strip()
    machine = subprocess.run([compiler, "-dumpmachine"], check=True, capture_output=True,
                             text=True).stdout.strip()
    flags = re.search(r"^CMAKE_CXX_FLAGS:\w+=(.*)$", cache, re.MULTILINE)[1]
    cpu = set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    used = " ".join(flag for flag in CPU_FLAGS if flag in cpu)
    return " ".join(filter(None, (pathlib.Path(compiler).name, version, machine, used, flags)))


def compare(baseline, counts):
    """(name, before, now, whether it exceeds the tolerance) for each case."""
    for name, now in counts.items():
        before = baseline.get(name)
        yield name, before, now, before is None or now > before * (1 + TOLERANCE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--renew", action="store_true", help="write the baseline")
    options = parser.parse_args()
    program = options.build / "bin/data_path"
    if not shutil.which("valgrind") or not program.exists():
        print("no valgrind or no data_path here")
        return SKIPPED
    known = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}
    name = key(options.build)
    if options.renew:
        known[name] = measure(program)
        BASELINE.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")
        print(json.dumps(known[name]))
        return 0
    if name not in known:
        print(f"no baseline for {name}")
        return SKIPPED
    status = 0
    for case, before, now, worse in compare(known[name], measure(program)):
        print(f"{case}: {now} instructions a bundle, before {before}"
              + (f" ({100 * (now / before - 1):+.1f} %)" if before else ""))
        status |= worse
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
