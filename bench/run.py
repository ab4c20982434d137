#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures farlink as a router between bpgen and bpsink, next to a bare relay.

    bench/run.py --case stcp-100B --case stcp-1MB --repeat 5 --duration 5 --json results.json

Every run with the router is followed or preceded by one with bench/relay in its place, so that the
ratio of the two hardly depends on what else the machine does. bench/README.md says what the
figures mean.
"""

import argparse
import collections
import json
import os
import platform
import queue
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

Case = collections.namedtuple("Case", "name payload_bytes generator_options", defaults=((),))

CASES = {case.name: case for case in (
    Case("stcp-100B", 100),
    Case("stcp-1kB", 1_000),
    Case("stcp-10kB", 10_000),
    Case("stcp-100kB", 100_000),
    Case("stcp-1MB", 1_000_000),
    Case("stcp-v6-100B", 100, ("--bp-version", "6")),
)}
DEFAULT_CASES = ("stcp-100B", "stcp-1kB", "stcp-10kB", "stcp-100kB", "stcp-1MB")

START_LIMIT_S = 20  # for a program to say that it is ready, and for the router to connect
END_LIMIT_S = 30  # for a program to end after it was told to
DRAIN_LIMIT_S = 60  # for what the generator has sent to arrive
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")

# Columns of the table: key of the result, heading, factor, digits.
COLUMNS = (
    ("bundles_per_second", "bundles/s", 1, 0),
    ("goodput_bps", "Gbit/s", 1e-9, 3),
    ("direct_bundles_per_second", "direct bundles/s", 1, 0),
    ("direct_goodput_bps", "direct Gbit/s", 1e-9, 3),
    ("relay_bundles_per_second", "relay bundles/s", 1, 0),
    ("relay_goodput_bps", "relay Gbit/s", 1e-9, 3),
    ("ratio_to_relay", "ratio", 1, 3),
    ("router_cpu_us_per_bundle", "CPU us/bundle", 1, 3),
    ("router_cpu_s_per_GB", "CPU s/GB", 1, 3),
    ("router_rss_mb", "RSS MB", 1, 1),
    ("generator_cpu_us_per_bundle", "bpgen us/bundle", 1, 3),
    ("sink_cpu_us_per_bundle", "bpsink us/bundle", 1, 3),
    ("lost", "lost", 1, 0),
)


class RunFailed(Exception):
    """A program did not do its part; the text holds its last words."""


class Program:
    """A child process whose output lines are read by threads; ended by its own process id."""

    def __init__(self, *arguments):
        self.name = os.path.basename(arguments[0])
        if not os.access(arguments[0], os.X_OK):
            raise RunFailed(f"{arguments[0]} is missing: build the project first")
        self.process = subprocess.Popen([str(argument) for argument in arguments],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.lines = {"out": queue.Queue(), "err": queue.Queue()}
        self.errors = collections.deque(maxlen=60)
        self.cpu_s = None
        self.readers = [
            threading.Thread(target=self._read, args=(stream, name), daemon=True)
            for stream, name in ((self.process.stdout, "out"), (self.process.stderr, "err"))]
        for reader in self.readers:
            reader.start()

    def _read(self, stream, name):
        for line in stream:
            if name == "err":
                self.errors.append(line)
            self.lines[name].put(line.rstrip("\n"))
        self.lines[name].put(None)

    def failure(self, what):
        return RunFailed(f"{self.name}: {what}\n" + "".join(self.errors))

    def line(self, name, accept, limit_s):
        """accept(line) of the first line for which it is not None."""
        deadline = time.monotonic() + limit_s
        while True:
            try:
                line = self.lines[name].get(timeout=max(deadline - time.monotonic(), 0))
            except queue.Empty:
                raise self.failure(f"no answer within {limit_s} s") from None
            if line is None:
                raise self.failure("ended unexpectedly")
            found = accept(line)
            if found is not None:
                return found

    def wait(self, limit_s):
        """Waits for its own end, and notes the CPU time it took; the exit code."""
        deadline = time.monotonic() + limit_s
        while self.process.returncode is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid == self.process.pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu_s = usage.ru_utime + usage.ru_stime
            elif time.monotonic() > deadline:
                raise self.failure(f"did not end within {limit_s} s")
            else:
                time.sleep(0.005)
        for reader in self.readers:
            reader.join(END_LIMIT_S)
        return self.process.returncode

    def expect_success(self, limit_s):
        code = self.wait(limit_s)
        if code != 0:
            raise self.failure(f"exit code {code}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.wait(END_LIMIT_S)

    def kill(self):
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()

    def busy_s(self):
        """CPU time so far, of all threads, user and kernel."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS

    def peak_rss_mb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024 / 1e6
        return 0.0


class Bench:
    """Runs one generator, one hop in the middle and one sink at a time."""

    def __init__(self, build, duration_s, folder):
        self.bin = os.path.join(build, "bin")
        self.duration_s = duration_s
        self.folder = folder
        self.runs = 0
        self.flawed = 0

    def program(self, name):
        return os.path.join(self.bin, name)

    def start_direct(self, sink_port):
        return None, sink_port

    def start_relay(self, sink_port):
        relay = Program(self.program("relay"), 0, sink_port)
        return relay, relay.line("out", int, START_LIMIT_S)

    def start_router(self, sink_port):
        folder = os.path.join(self.folder, str(self.runs))
        os.mkdir(folder)
        config = {
            "myNodeId": 10,
            "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
            "outductsConfig": [{"url": f"stcp://127.0.0.1:{sink_port}", "nextHopNodeId": 2}],
            "storageConfig": {"storeFilePath": os.path.join(folder, "store")},
        }
        path = os.path.join(folder, "node.json")
        with open(path, "w", encoding="ascii") as file:
            json.dump(config, file)
        router = Program(self.program("farlink"), "--counters", "--config", path)

        def port_of(line):
            ports = json.loads(line).get("ports")
            return ports[0] if ports else None

        return router, router.line("out", port_of, START_LIMIT_S)

    def run(self, case, hop):
        """One run; what the sink reports, and what the hop cost."""
        self.runs += 1
        sink = middle = generator = None
        try:
            sink = Program(self.program("bpsink"), "--eid", "ipn:2.1", "--listen",
                           "stcp://127.0.0.1:0", "--until-complete", "--idle-exit", 5, "--json")
            sink_port = sink.line("err", port_in_greeting, START_LIMIT_S)
            middle, port = getattr(self, f"start_{hop}")(sink_port)
            if hop == "router":  # its link is up before the first bundle
                sink.line("err", lambda line: line if line.startswith("connection") else None,
                          START_LIMIT_S)
            busy_before_s = middle.busy_s() if middle else 0
            generator = Program(self.program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1",
                                "--via", f"stcp://127.0.0.1:{port}", "--bundle-size",
                                case.payload_bytes, "--duration", self.duration_s, "--json",
                                *case.generator_options)
            generator.expect_success(self.duration_s + DRAIN_LIMIT_S)
            sink.wait(DRAIN_LIMIT_S)  # a flawed result is a result: the report tells
            result = sink.line("out", json.loads, START_LIMIT_S)
            result["hop_cpu_s"] = middle.busy_s() - busy_before_s if middle else 0
            result["hop_rss_mb"] = middle.peak_rss_mb() if middle else 0
            result["generator_cpu_s"] = generator.cpu_s
            result["sink_cpu_s"] = sink.cpu_s
            if hop == "router" and middle.stop() != 0:
                raise middle.failure(f"exit code {middle.process.returncode}")
            if result["received"] == 0:
                raise sink.failure("nothing arrived")
            return result
        finally:
            for program in (generator, middle, sink):
                if program:
                    program.kill()


def port_in_greeting(line):
    return int(line.rsplit(":", 1)[1]) if line.startswith("listening on") else None


def figures(results):
    """The figures of one turn: a run for each kind of hop in `results`."""
    found = {}
    for hop in ("direct", "relay"):
        if hop in results:
            found[f"{hop}_bundles_per_second"] = results[hop]["bundles_per_second"]
            found[f"{hop}_goodput_bps"] = results[hop]["goodput_bps"]
    # What the tools took, with the router in the middle if there was one.
    last = results[max(results, key=("direct", "relay", "router").index)]
    for tool in ("generator", "sink"):
        found[f"{tool}_cpu_us_per_bundle"] = last[f"{tool}_cpu_s"] / last["received"] * 1e6
    if "router" not in results:
        return found
    router = results["router"]
    found.update({
        "bundles_per_second": router["bundles_per_second"],
        "goodput_bps": router["goodput_bps"],
        "router_cpu_us_per_bundle": router["hop_cpu_s"] / router["received"] * 1e6,
        "router_cpu_s_per_GB": router["hop_cpu_s"] / (router["payload_bytes"] / 1e9),
        "router_rss_mb": router["hop_rss_mb"],
        "latency_p50_ms": router["latency_ms"]["p50"],
        "latency_p99_ms": router["latency_ms"]["p99"],
        "lost": router["lost"],
        "duplicates": router["duplicates"],
    })
    if "relay" in results:
        found["ratio_to_relay"] = router["goodput_bps"] / results["relay"]["goodput_bps"]
    return found


def summary(case, turns):
    """{median, min, max} of every figure of a case."""
    result = {"case": case.name, "payload_bytes": case.payload_bytes}
    for key in turns[0]:
        values = [turn[key] for turn in turns]
        result[key] = {"median": statistics.median(values), "min": min(values),
                       "max": max(values)}
    return result


def measure(bench, case, hops, repeat):
    turns = []
    for number in range(repeat):
        # Turn by turn, so that neither always runs on the warmer machine.
        order = hops if number % 2 == 0 else tuple(reversed(hops))
        results = {hop: bench.run(case, hop) for hop in order}
        for hop, result in results.items():
            bench.flawed += not result["ok"]
            print(f"{case.name} {number + 1}/{repeat} {hop:6s} "
                  f"{result['bundles_per_second']:12,.0f} bundles/s "
                  f"{result['goodput_bps'] / 1e9:8.3f} Gbit/s"
                  + ("" if result["ok"] else f"  FLAWED: {json.dumps(result)}"),
                  file=sys.stderr, flush=True)
        turns.append(figures(results))
    return summary(case, turns)


def print_table(results):
    columns = [column for column in COLUMNS if any(column[0] in row for row in results)]
    rows = [["case"] + [heading for _, heading, _, _ in columns]]
    for result in results:
        row = [result["case"]]
        for key, _, factor, digits in columns:
            figure = result.get(key)
            if figure is None:
                row.append("-")
                continue
            median, low, high = (figure[name] * factor for name in ("median", "min", "max"))
            row.append(f"{median:,.{digits}f} ({low:,.{digits}f}..{high:,.{digits}f})")
        rows.append(row)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths)))


def machine():
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"processor": model, "cores": os.cpu_count(), "kernel": platform.release()}


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--case", action="append", choices=sorted(CASES), metavar="CASE",
                        help="one of " + ", ".join(CASES) + "; may be repeated")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each kind (5)")
    parser.add_argument("--duration", type=float, default=5, help="seconds of each run (5)")
    parser.add_argument("--json", metavar="FILE", help="write the results to this file")
    parser.add_argument("--build", default="build/release", metavar="FOLDER",
                        help="where bin/ with the programs is (build/release)")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--router-only", action="store_true", help="no relay, for profiling")
    only.add_argument("--relay-only", action="store_true", help="no router")
    only.add_argument("--direct", action="store_true",
                      help="nothing between bpgen and bpsink: what the tools can do")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    hops = ("relay", "router")
    if arguments.router_only:
        hops = ("router",)
    elif arguments.relay_only:
        hops = ("relay",)
    elif arguments.direct:
        hops = ("direct",)
    results = []
    try:
        with tempfile.TemporaryDirectory(prefix="farlink-bench-") as folder:
            bench = Bench(arguments.build, arguments.duration, folder)
            for name in arguments.case or DEFAULT_CASES:
                results.append(measure(bench, CASES[name], hops, arguments.repeat))
    except RunFailed as failed:
        print(f"bench: {failed}", file=sys.stderr)
        return 1
    print_table(results)
    if arguments.json:
        with open(arguments.json, "w", encoding="ascii") as file:
            json.dump({"machine": machine(), "repeat": arguments.repeat,
                       "duration_s": arguments.duration, "cases": results}, file, indent=2)
            file.write("\n")
    return 1 if bench.flawed else 0


if __name__ == "__main__":
    sys.exit(main())
