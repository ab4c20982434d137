# SPDX-License-Identifier: Apache-2.0
"""What the tests of packaging share: the tree that `cmake --install` makes, and how checks end."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

PROGRAMS = {"farlink", "farlinkctl", "bping", "bpgen", "bpinspect", "bpreceive", "bpreceivefile",
            "bpsend", "bpsendfile", "bpsink", "bptrace", "bptunnel", "farlink-cfdp",
            "farlink-cfdpd", "linkemu", "ltpsend", "ltprecv"}
MODULES = {"ingress", "egress", "storage", "scheduler", "router", "telemetry"}


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def run(*arguments, **options):
    """The output of a program that must succeed."""
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True,
                          text=True, timeout=60, check=False, **options)
    check(done.returncode == 0, f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n"
                                f"{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def install(build, folder):
    """`cmake --install` into the folder."""
    run("cmake", "--install", build, "--prefix", folder)
    return folder


def options_of(help_text):
    """Every option that a help text names, by the text alone."""
    listed = re.findall(r"^ +(-\S*)", help_text, re.MULTILINE)
    return {name for names in listed for name in names.split(",")}


def main(*tests):
    """Runs the tests, each as test(build, folder); the exit code says whether all passed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    failed = 0
    for test in tests:
        with tempfile.TemporaryDirectory(prefix="farlink_") as folder:
            try:
                test(build, pathlib.Path(folder))
                print(f"{test.__name__}: passed")
            except (AssertionError, OSError, KeyError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"{test.__name__}: FAILED: {type(error).__name__}: {error}")
    sys.exit(1 if failed else 0)
