#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All alarms on real nodes, also those that need minutes of figures before they are raised."""

import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    options = parser.parse_args()
    return subprocess.run([sys.executable, str(ROOT / "tests/integration/alarms_test.py"),
                           "--build", str(options.build.resolve())], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
