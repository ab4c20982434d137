#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the programs of this version leave on disk: the golden files of tests/upgrade.

Run once for each version that is released, and never again for it: make.py --build FOLDER.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
import pathlib

from golden_node import CONFIG, HERE, SINK_PORT, Node, metric_families, programs_of

CENTURY_S = 100 * 365 * 24 * 3600
BUNDLES = {"7": 12, "6": 8}
CONFIGURATION = {
    "$schema": "../../../config/schema/farlink.schema.json",
    "myNodeId": 10,
    "myBpEchoServiceId": 2047,
    "inductsConfig": [
        {"url": "stcp://127.0.0.1:0", "maxSessions": 100},
        {"url": "tcpclv4://127.0.0.1:0", "keepAliveIntervalSeconds": 15,
         "neighbours": [{"nodeId": 5, "address": "127.0.0.1"}]},
        {"url": "ltp://127.0.0.1:0", "thisLtpEngineId": 10, "oneWayMarginTimeMs": 200}],
    "outductsConfig": [
        {"url": f"stcp://127.0.0.1:{SINK_PORT}", "nextHopNodeId": 2},
        {"url": "tcpclv3://127.0.0.1:1", "nextHopNodeId": 3, "rateLimitBitsPerSec": 1000000},
        {"url": "udp://127.0.0.1:1", "nextHopNodeId": 4, "rateLimitBitsPerSec": 1000000}],
    "contactPlanFile": "plan.json",
    "storageConfig": {"storeFilePath": "store", "totalStorageCapacityBytes": 268435456,
                      "segmentBytes": 1048576},
    "routing": {"staticRoutes": [{"destinationNodeId": 20, "nextHopNodeId": 2}]},
    "bufferBytes": 33554432,
    "statusReports": True,
    "controlSocket": "control.sock",
    "stateFolder": "state",
    "api": {"listen": "127.0.0.1:0", "tokensFile": "tokens.json"},
    "acsSendPeriodMilliseconds": 500}
PLAN = {"contacts": [
    {"contact": 0, "source": 10, "dest": 2, "startTime": "2098-01-01T00:00:00Z",
     "endTime": "2098-01-02T00:00:00Z", "rateBitsPerSec": 1000000000, "owlt": 0},
    {"contact": 1, "source": 10, "dest": 3, "startTime": "2100-01-01T00:00:00Z",
     "endTime": "2100-01-02T00:00:00Z", "rateBitsPerSec": 1000000, "owlt": 1.5}]}


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=True).stdout.strip()


def fill(node):
    """Bundles that wait, and all that commands change and a restart resumes."""
    for version, count in BUNDLES.items():
        run(f"{node.programs}/bpgen", "--from", f"ipn:{version}.1", "--to", "ipn:2.1", "--via",
            f"stcp://127.0.0.1:{node.port}", "--bundle-size", 1000, "--bundles", count,
            "--bp-version", version, "--lifetime", CENTURY_S)
    node.ctl("plan", "add", "--contact", "90", "--source", "10", "--dest", "2", "--start",
             "2099-01-01T00:00:00Z", "--end", "2099-01-02T00:00:00Z", "--rate", "2000000")
    node.ctl("plan", "add", "--contact", "91", "--source", "10", "--dest", "4", "--start",
             "2099-01-01T00:00:00Z", "--end", "2099-01-02T00:00:00Z", "--rate", "3000000")
    node.ctl("plan", "change", "91", "--rate", "4000000")
    node.ctl("storage", "hold", "77")
    node.ctl("link", "set", "3", "--rate", "64000")


def write(programs, folder):
    for name, content in ((CONFIG, CONFIGURATION), ("plan.json", PLAN)):
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    tokens = {role: run(f"{programs}/farlinkctl", "tokens", "make", "--role", role, "--name", role,
                        "--file", folder / "tokens.json") for role in ("read", "operate")}
    node = Node(programs, folder)
    try:
        fill(node)
        expected = {"tokens": tokens, "bundles": sum(BUNDLES.values()),
                    "plan": node.ctl("plan", "current"), "holds": node.ctl("storage", "holds"),
                    "history": node.ctl("plan", "history")}
        families = metric_families(node.metrics(tokens))
    finally:
        code = node.end()
    if code != 0:
        raise SystemExit(f"farlink ended with {code}")
    (folder / "metrics.txt").write_text("".join(f"{each}\n" for each in sorted(families)),
                                        encoding="utf-8")
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build folder")
    programs = programs_of(parser.parse_args().build)
    version = run(f"{programs}/farlink", "--version").split()[-1]
    if (HERE / version).exists():
        raise SystemExit(f"{HERE / version} is there: what a version wrote is not written again")
    with tempfile.TemporaryDirectory(prefix="farlink-golden-") as folder:
        write(programs, pathlib.Path(folder))
        for path in pathlib.Path(folder).rglob("*"):
            print(path, path.stat().st_size)
        shutil.copytree(folder, HERE / version,
                        ignore=lambda at, names: [n for n in names
                                                  if (pathlib.Path(at) / n).is_socket()])
    print(f"wrote {HERE / version}")


if __name__ == "__main__":
    main()
