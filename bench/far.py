# SPDX-License-Identifier: Apache-2.0
"""Runs over an emulated link with light time, loss and the like: LTP behind a router, and TCP."""

import json
import os
import shutil
import subprocess
import time

from programs import END_LIMIT_S, Program, RunFailed

START_LIMIT_S = 20
SENDING_S = 10  # after the round trips in which the flow becomes steady
DRAIN_LIMIT_S = 60
IDLE_S = 15  # a sink that waits longer for a bundle ends
NEAR, FAR = "10.77.0.1", "10.77.0.2"
FAR_PORT = 4556
# The kernel's buffers of a connection: several windows of 500 Mbit/s and one second.
TCP_MEMORY = "4096 131072 268435456"


class SteadyRate:
    """Reads the sink's progress; the rate while the flow was in its steady state.

    The steady state begins two round trips after the first bundle, when retransmissions have their
    share, and ends with the generator. First and last bundles are late by the same light time.
    """

    def __init__(self, sink, payload_bytes):
        self.points = []
        self.payload_bytes = payload_bytes
        while not sink.lines["err"].empty():
            line = sink.lines["err"].get()
            if line and line.startswith("{"):
                point = json.loads(line)
                self.points.append((point["seconds"], point["received"]))

    def between(self, begin_s, end_s):
        inside = [point for point in self.points if begin_s <= point[0] <= end_s]
        if len(inside) < 2:
            raise RunFailed("the run was too short for a steady rate")
        (first_s, first), (last_s, last) = inside[0], inside[-1]
        return (last - first) * self.payload_bytes * 8 / (last_s - first_s)


def round_trip_s(case):
    """The one-way delay of an emulated link, whose text is in s or ms."""
    delay = case.emulation[case.emulation.index("--delay") + 1]
    return 2 * (float(delay[:-2]) / 1000 if delay.endswith("ms") else float(delay[:-1]))


def run_far(bench, case):
    """bpgen, router, linkemu and bpsink; the sink's report and the processor time of all."""
    duration_s = 2 * round_trip_s(case) + max(SENDING_S, bench.duration_s)
    programs = {}
    try:
        sink, sink_port = bench.start_sink(case)
        programs["sink"] = sink
        emulator, port = start_udp_emulator(bench, case, sink_port)
        programs["emulator"] = emulator
        router, port = bench.start_router(case, port)
        programs["router"] = router
        began = time.monotonic()
        before = {name: program.busy_s() for name, program in programs.items()}
        generator = start_generator(bench, case, bench.url(case, port, 1), duration_s)
        programs["generator"] = generator
        time.sleep(duration_s)
        seconds = time.monotonic() - began
        cores = {name: (programs[name].busy_s() - busy) / seconds for name, busy in before.items()}
        generator.expect_success(DRAIN_LIMIT_S)
        result = sink_result(sink, case, duration_s)
        result.update({f"{name}_cores": used for name, used in cores.items()})
        result["hop_cpu_s"] = router.busy_s() - before["router"]
        result["hop_rss_mb"] = router.peak_rss_mb()
        result["generator_cpu_s"] = generator.cpu_s
        result["sink_cpu_s"] = sink.cpu_s
        if router.stop() != 0:
            raise router.failure(f"exit code {router.process.returncode}")
        return result
    finally:
        for program in reversed(programs.values()):
            program.kill()


def start_generator(bench, case, url, duration_s, before=()):
    return Program(*before, bench.program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1",
                   "--via", url, "--bundle-size", case.payload_bytes, "--duration", duration_s,
                   "--json", *case.generator_options)


def sink_result(sink, case, duration_s):
    sink.wait(DRAIN_LIMIT_S)  # the report contains any fault
    result = sink.line("out", json.loads, START_LIMIT_S)
    if result["received"] == 0:
        raise sink.failure("nothing arrived")
    rate = SteadyRate(sink, case.payload_bytes).between(2 * round_trip_s(case), duration_s)
    result["steady_goodput_bps"] = rate
    return result


def start_udp_emulator(bench, case, sink_port):
    emulator = Program(bench.program("linkemu"), "--json", *case.emulation, "udp", "--listen",
                       "127.0.0.1:0", "--to", f"127.0.0.1:{sink_port}")
    return emulator, emulator.line("out", lambda line: json.loads(line)["ports"][0],
                                   START_LIMIT_S)


# ---- TCP between two network namespaces

def tell_ip(*arguments):
    done = subprocess.run(("ip", *arguments), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunFailed(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


class Network:
    """A network namespace with buffers for a long, fast connection; it needs root."""

    def __init__(self, name):
        self.name = f"farlink-bench-{name}-{os.getpid()}"
        tell_ip("netns", "add", self.name)
        self.inside = (shutil.which("ip"), "netns", "exec", self.name)
        for key in ("tcp_rmem", "tcp_wmem"):
            path = f"/proc/sys/net/ipv4/{key}"
            subprocess.run((*self.inside, "sh", "-c", f"echo {TCP_MEMORY} > {path}"), check=True)

    def remove(self):
        tell_ip("netns", "delete", self.name)


def run_far_tcp(bench, case):
    """bpgen to bpsink by TCP over the same link. The run ends before the link has delivered the
    rest, which takes long."""
    duration_s = 2 * round_trip_s(case) + max(SENDING_S, bench.duration_s)
    networks, programs = [], []
    try:
        for name in ("near", "far"):
            networks.append(Network(name))
        near, far = networks
        emulator = Program(bench.program("linkemu"), "--json", *case.emulation, "tun",
                           "--near-netns", near.name, "--near-address", f"{NEAR}/24",
                           "--far-netns", far.name, "--far-address", f"{FAR}/24")
        programs.append(emulator)
        emulator.line("out", json.loads, START_LIMIT_S)
        url = f"{case.scheme}://{FAR}:{FAR_PORT}"
        sink = Program(*far.inside, bench.program("bpsink"), "--eid", "ipn:2.1", "--listen", url,
                       "--until-complete", "--idle-exit", IDLE_S, "--json", "--progress")
        programs.append(sink)
        sink.line("err", lambda line: line if line.startswith("listening on") else None,
                  START_LIMIT_S)
        programs.append(start_generator(bench, case, url, 2 * duration_s, near.inside))
        time.sleep(duration_s)
        rate = SteadyRate(sink, case.payload_bytes).between(2 * round_trip_s(case), duration_s)
        return {"ok": True, "steady_goodput_bps": rate}
    finally:
        for program in reversed(programs):
            program.kill()
        for network in networks:
            network.remove()
