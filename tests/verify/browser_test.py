#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The dashboard with 1,000 links, for a minute at ten updates a second, its screenshots, and all of
its tests on a real node.

Usage: browser_test.py
"""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    os.execvp("ctest", ["ctest", "--test-dir", str(ROOT / "build/release"), "--output-on-failure",
                        "--no-tests=error", "-C", "verify",
                        "-R", "^browser[.](endurance|load|screenshots|access_whole|node_whole)$"])
