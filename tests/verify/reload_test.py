#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each kind of change of the configuration is reloaded 100 times while bundles flow.

Usage: reload_test.py
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELOADS = "100"

if __name__ == "__main__":
    os.environ.setdefault("FARLINK_RELOADS", RELOADS)
    test = ROOT / "tests/integration/reload_test.py"
    os.execv(sys.executable, [sys.executable, str(test), "--build", str(ROOT / "build/release"),
                              "UnderLoad"])
