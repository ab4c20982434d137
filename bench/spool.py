# SPDX-License-Identifier: Apache-2.0
"""One bundle larger than memory through one node, beside as many octets in bundles of 1 MB that are
stored and then released."""

import json
import shutil
import time

from programs import Program
from stores import reserved_port

START_LIMIT_S = 20
RUN_LIMIT_S = 600
HELD_BUNDLES = 2_000


def run_spool(bench, case):
    """A case of the kind "spool", or "held": then the sink starts when all bundles are stored.

    The time counts from the start of the generator until the sink has everything, without the wait
    for the router to connect.
    """
    held = case.kind == "held"
    bundles = HELD_BUNDLES if held else 1
    folder = bench.run_folder()
    sink = router = generator = None
    try:
        sink_port = reserved_port()
        if not held:
            sink, sink_port = bench.start_sink(case)
        router, port = bench.start_router(case, sink_port, folder)
        if not held:
            bench.wait_for_link(case, sink)
        busy_before_s = router.busy_s()
        began = time.monotonic()
        generator = Program(bench.program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1",
                            "--via", bench.url(case, port, 1), "--bundle-size", case.payload_bytes,
                            "--bundles", bundles, "--json")
        generator.expect_success(RUN_LIMIT_S)
        seconds = 0.0
        if held:
            seconds = time.monotonic() - began
            sink, _ = bench.start_sink(case, sink_port)
            bench.wait_for_link(case, sink)
            began = time.monotonic()
        sink.wait(RUN_LIMIT_S)
        seconds += time.monotonic() - began
        result = sink.line("out", json.loads, START_LIMIT_S)
        result["seconds"] = seconds
        result["bundles"] = result["received"]
        result["bundles_per_second"] = result["received"] / seconds
        result["goodput_bps"] = result["received"] * case.payload_bytes * 8 / seconds
        result["hop_cpu_s"] = router.busy_s() - busy_before_s
        result["hop_rss_mb"] = router.peak_rss_mb()
        result["generator_cpu_s"] = generator.cpu_s
        result["sink_cpu_s"] = sink.cpu_s
        result["ok"] = result["received"] == bundles and result["lost"] == 0
        if router.stop() != 0:
            raise router.failure(f"exit code {router.process.returncode}")
        return result
    finally:
        for program in (generator, router, sink):
            if program:
                program.kill()
        shutil.rmtree(folder)
