# SPDX-License-Identifier: Apache-2.0
"""Two applications of one node, by the client library for C++."""

import json
import os
import shutil

from programs import Program

START_LIMIT_S = 20
DRAIN_LIMIT_S = 60
WINDOW = 1024
SOCKET = "app.sock"


def run_applications(bench, case):
    """A case of the kind "app", or "app-rtt": then one ADU at a time."""
    folder = bench.run_folder()
    node = pair = None
    try:
        node, _ = bench.start_router(case, None, folder)
        pair = Program(bench.program("applications"), os.path.join(folder, SOCKET),
                       bench.duration_s, case.payload_bytes,
                       1 if case.kind == "app-rtt" else WINDOW)
        pair.expect_success(bench.duration_s + DRAIN_LIMIT_S)
        result = pair.line("out", json.loads, START_LIMIT_S)
        result["bundles"] = result["received"]
        result["bundles_per_second"] = result["received"] / result["seconds"]
        result["goodput_bps"] = result["bundles_per_second"] * case.payload_bytes * 8
        result["round_trip_p50_us"] = result.pop("p50_us")
        result["round_trip_p99_us"] = result.pop("p99_us")
        result["lost"] = result["sent"] - result["refused"] - result["received"]
        result["hop_cpu_s"] = node.busy_s()
        result["hop_rss_mb"] = node.peak_rss_mb()
        result["generator_cpu_s"] = pair.cpu_s
        result["sink_cpu_s"] = 0
        result["ok"] = result["lost"] == result["refused"] == result["disordered"] == 0
        if node.stop() != 0:
            raise node.failure(f"exit code {node.process.returncode}")
        return result
    finally:
        for program in (pair, node):
            if program:
                program.kill()
        shutil.rmtree(folder)
