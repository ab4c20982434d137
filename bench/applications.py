# SPDX-License-Identifier: Apache-2.0
"""Applications of one node: by the client library for C++, by HTTP, and through a tunnel."""

import hashlib
import json
import os
import pathlib
import re
import shutil

from programs import Program

START_LIMIT_S = 20
DRAIN_LIMIT_S = 60
WINDOW = 1024
SOCKET = "app.sock"
CONNECTIONS = 8
SOURCE = "ipn:10.1999"
TOKEN = "of the benchmark"  # for a node that lives for seconds
DATAGRAMS_PER_SECOND = 100_000
NODE, NEAR, FAR = 10, "5001", "5002"


def run_applications(bench, case):
    """A case of the kind "app", or "app-rtt": then one ADU at a time."""
    return run_pair(bench, case, lambda folder, node: (
        "applications", os.path.join(folder, SOCKET), bench.duration_s, case.payload_bytes,
        1 if case.kind == "app-rtt" else WINDOW))


def run_python(bench, case):
    """A case of the kind "app-python", or "app-python-one": then a call for each ADU."""
    pair = pathlib.Path(__file__).resolve().parent / "python_pair.py"
    one = ("one",) if case.kind == "app-python-one" else ()
    return run_pair(bench, case, lambda folder, node: (
        str(pair), os.path.join(folder, SOCKET), bench.duration_s, case.payload_bytes, *one))


def run_posts(bench, case):
    """A case of the kind "http-post"."""
    def words(folder, node):
        url = node.line("err", lambda line: re.search(r"the API (?:is|are) at (\S+)", line),
                        START_LIMIT_S)[1]
        return ("http_posts", os.path.join(folder, SOCKET),
                url.strip().rstrip("/").rsplit(":", 1)[1], TOKEN, SOURCE, bench.duration_s,
                case.payload_bytes, CONNECTIONS)
    return run_pair(bench, case, words, write_token)


def write_token(folder):
    path = os.path.join(folder, "tokens.json")
    with open(path, "w", encoding="ascii") as file:
        os.chmod(path, 0o600)
        json.dump({"tokens": [{"name": "bench", "role": "applications", "register": [SOURCE],
                               "sha256": hashlib.sha256(TOKEN.encode()).hexdigest()}]}, file)


def run_pair(bench, case, words, prepare=lambda folder: None):
    """A node, and the program that sends and receives there."""
    folder = bench.run_folder()
    node = pair = None
    try:
        prepare(folder)
        node, _ = bench.start_router(case, None, folder)
        name, *arguments = words(folder, node)
        pair = Program(bench.program(name), *arguments)
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
        result["ok"] = result["lost"] == result["refused"] == result.get("disordered", 0) == 0
        if node.stop() != 0:
            raise node.failure(f"exit code {node.process.returncode}")
        return result
    finally:
        for program in (pair, node):
            if program:
                program.kill()
        shutil.rmtree(folder)


def run_tunnel(bench, case, exit_port):
    """Datagrams through both ends of bptunnel at one node, beside the same without them."""
    folder = bench.run_folder()
    programs = []
    try:
        node, _ = bench.start_router(case, None, folder)
        programs.append(node)
        socket = os.path.join(folder, SOCKET)
        ends = []
        for endpoint, peer, *words in ((FAR, NEAR, "--to", f"udp://127.0.0.1:{exit_port}"),
                                       (NEAR, FAR, "--listen", "udp://127.0.0.1:0")):
            ends.append(Program(bench.program("bptunnel"), "--node", socket, "--json", endpoint,
                                f"ipn:{NODE}.{peer}", *words))
            programs.append(ends[-1])
            started = ends[-1].line("out", json.loads, START_LIMIT_S)
        pair = Program(bench.program("tunnel"), started["port"], exit_port,
                       int(bench.duration_s), case.payload_bytes, DATAGRAMS_PER_SECOND)
        programs.append(pair)
        pair.expect_success(bench.duration_s + DRAIN_LIMIT_S)
        result = pair.line("out", json.loads, START_LIMIT_S)
        result["bundles"] = result["received"]
        result["bundles_per_second"] = result["received"] / result["seconds"]
        result["goodput_bps"] = result["bundles_per_second"] * case.payload_bytes * 8
        result["latency_p99_us"] = result.pop("p99_us")
        result["lost"] = result["sent"] - result["received"]
        result["tunnel_cpu_us_per_datagram"] = (sum(end.busy_s() for end in ends)
                                                / result["sent"] * 1e6)
        result["router_rss_mb"] = node.peak_rss_mb()
        result["ok"] = result["disordered"] == 0
        for program in (*ends, node):
            if program.stop() != 0:
                raise program.failure(f"exit code {program.process.returncode}")
        return result
    finally:
        for program in programs:
            program.kill()
        shutil.rmtree(folder)
