#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of monitoring a node: telemetry, /metrics, and the clients of the dashboard.

    bench/api.py --build build/release telemetry metrics clients

telemetry: the cut-through rate of bundles of 100 bytes with everything, one dashboard open, and
without the module telemetry, turn by turn; and the processor time of a bundle.
metrics: how long a scrape takes with 1,000 links, and round trips through the node meanwhile.
clients: processor time for 200 WebSocket clients at 10 updates a second, and for none.
"""
import argparse
import base64
import json
import os
import random
import re
import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time
import urllib.request

from hops import port_in_greeting
from programs import Program, RunFailed

START_LIMIT_S = 30
ALL_BUT_TELEMETRY = "ingress,egress,storage,scheduler,router"
MODULES = (*ALL_BUT_TELEMETRY.split(","), "telemetry", "supervisor")


class Clients:
    """WebSocket clients that read and discard all messages; one thread for all."""

    def __init__(self, port, count):
        self.selector = selectors.DefaultSelector()
        self.received = 0
        self.messages = 0
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", port), START_LIMIT_S)
            key = base64.b64encode(os.urandom(16)).decode()
            client.sendall((f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                            "Sec-WebSocket-Version: 13\r\n"
                            "Sec-WebSocket-Protocol: farlink.v1\r\n\r\n").encode())
            client.setblocking(False)
            self.selector.register(client, selectors.EVENT_READ)
        self.ending = False
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while not self.ending:
            for key, _ in self.selector.select(0.1):
                octets = key.fileobj.recv(1 << 20)
                if not octets:
                    raise RunFailed("the node has closed a connection")
                self.received += len(octets)
                self.messages += 1

    def close(self):
        self.ending = True
        self.reader.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()


class Node:
    """A router with an API between a generator and a sink."""

    def __init__(self, build, folder, sink_port, links=0, modules=None):
        path = os.path.join(folder, f"node-{time.monotonic_ns()}")
        os.mkdir(path)
        config = {
            "myNodeId": 10,
            "inductsConfig": [{"url": "stcp://127.0.0.1:0"},
                              {"url": "tcpclv4://127.0.0.1:0",
                               "neighbours": [{"nodeId": 99, "address": "127.0.0.1"}]}],
            "outductsConfig": [{"url": f"stcp://127.0.0.1:{sink_port}", "nextHopNodeId": 2}],
            "storageConfig": {"storeFilePath": "store"},
            "bus": {module: f"ipc://{path}/{module}" for module in MODULES},
            "api": {"listen": "127.0.0.1:0"}}
        # Long reconnection delays, so that links that are down do not disturb the measurement.
        config["outductsConfig"] += [
            {"url": "stcp://127.0.0.1:1", "nextHopNodeId": 1000 + number,
             "reconnectMinMilliseconds": 60000, "reconnectMaxMilliseconds": 60000}
            for number in range(links)]
        with open(os.path.join(path, "node.json"), "w", encoding="ascii") as file:
            json.dump(config, file)
        self.program = Program(os.path.join(build, "bin/farlink"), "--counters", "--config",
                               os.path.join(path, "node.json"),
                               *(("--modules", modules) if modules else ()))
        mark = re.compile(r"the API are at \S+:(\d+)/")
        self.port = None if modules else int(self.program.line(
            "err", lambda line: (mark.search(line) or [None, None])[1], START_LIMIT_S))
        listens = re.compile(r"listens on \S+:(\d+) \S+:(\d+)")
        found = self.program.line("err", listens.search, START_LIMIT_S)
        self.stcp, self.tcpclv4 = int(found[1]), int(found[2])


def start_sink(build):
    sink = Program(os.path.join(build, "bin/bpsink"), "--eid", "ipn:2.1", "--listen",
                   "stcp://127.0.0.1:0", "--json", "--idle-exit", 5, "--until-complete")
    return sink, sink.line("err", port_in_greeting, START_LIMIT_S)


def generate(build, port, *options):
    return Program(os.path.join(build, "bin/bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1",
                   "--via", f"stcp://127.0.0.1:{port}", "--json", *options)


def summary_of(program, limit_s=START_LIMIT_S):
    def read(line):
        found = json.loads(line)
        return found if found.get("type", "summary") == "summary" else None
    return program.line("out", read, limit_s)


def one_turn(build, folder, seconds, telemetry):
    """Bundles per second at the sink, and microseconds of the router's processor time for each."""
    sink, sink_port = start_sink(build)
    node = Node(build, folder, sink_port, modules=None if telemetry else ALL_BUT_TELEMETRY)
    clients = Clients(node.port, 1) if telemetry else None
    before = node.program.busy_s()
    generator = generate(build, node.stcp, "--duration", seconds)
    sent = summary_of(generator)
    generator.expect_success(START_LIMIT_S)
    seen = summary_of(sink)
    busy = node.program.busy_s() - before
    if clients:
        clients.close()
    sink.expect_success(START_LIMIT_S)
    node.program.stop()
    if not seen["ok"] or seen["received"] != sent["bundles"]:
        raise RunFailed(f"{sent['bundles']} bundles sent, {seen['received']} seen")
    return seen["bundles_per_second"], busy / seen["received"] * 1e6


def measure_telemetry(build, folder, turns, seconds):
    rates, costs = [], []
    for turn in range(turns):
        pair = {}
        for telemetry in ((True, False) if turn % 2 else (False, True)):
            pair[telemetry] = one_turn(build, folder, seconds, telemetry)
        rates.append(pair[True][0] / pair[False][0])
        costs.append(pair[True][1] / pair[False][1])
        print(f"telemetry: with {pair[True][0]:,.0f} bundles/s at {pair[True][1]:.3f} us, "
              f"without {pair[False][0]:,.0f} at {pair[False][1]:.3f} us", flush=True)
    print(f"telemetry: rate {statistics.median(rates):.3f} of that without, "
          f"processor time of a bundle {statistics.median(costs):.3f} of it")


def scrape(port):
    begun = time.monotonic()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        octets = len(answer.read())
    return time.monotonic() - begun, octets


def round_trips(build, node, seconds):
    """The 99th percentile in microseconds."""
    ping = Program(os.path.join(build, "bin/bping"), "--from", "ipn:99.1", "--to", "ipn:10.2047",
                   "--via", f"tcpclv4://127.0.0.1:{node.tcpclv4}", "--interval", 0.001, "--count",
                   int(seconds * 1000), "--json")
    summary = summary_of(ping)
    ping.expect_success(START_LIMIT_S)
    return summary["milliseconds"]["p99"] * 1e3


def measure_metrics(build, folder, links):
    node = Node(build, folder, 1, links)
    try:
        round_trips(build, node, 2)  # until the links have given up their first attempts
        times = []
        for _ in range(200):
            time.sleep(random.random() * 0.05)  # some coincide with the node's work each second
            times.append(scrape(node.port))
        times.sort()
        print(f"metrics: {links} links, {times[0][1]:,} bytes: median "
              f"{times[100][0] * 1e3:.1f} ms, most {times[-1][0] * 1e3:.1f} ms")
        quiet = round_trips(build, node, 5)
        ending = threading.Event()

        def scrape_on():
            while not ending.wait(1):
                scrape(node.port)

        scraper = threading.Thread(target=scrape_on)
        scraper.start()
        scraped = round_trips(build, node, 5)
        ending.set()
        scraper.join()
        print(f"metrics: p99 of round trips {quiet:.0f} us, scraped each second {scraped:.0f} us")
    finally:
        node.program.stop()


def measure_clients(build, folder, count, seconds):
    sink, sink_port = start_sink(build)
    node = Node(build, folder, sink_port)
    generator = generate(build, node.stcp, "--bundle-rate", 1000, "--duration", 3 * seconds + 10)

    def share():
        before, begun = node.program.busy_s(), time.monotonic()
        time.sleep(seconds)
        return (node.program.busy_s() - before) / (time.monotonic() - begun) * 100

    alone = share()
    clients = Clients(node.port, count)
    time.sleep(1)
    before = clients.messages
    watched = share()
    rate = (clients.messages - before) / count / seconds
    clients.close()
    print(f"clients: {alone:.1f} % of a core for none, {watched:.1f} % for {count} at "
          f"{rate:.1f} updates a second: {watched - alone:.1f} % for them")
    generator.expect_success(10 * START_LIMIT_S)
    sink.expect_success(START_LIMIT_S)
    node.program.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["telemetry", "metrics", "clients"],
                        choices=["telemetry", "metrics", "clients"])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--turns", type=int, default=5, help="of telemetry (default: 5)")
    parser.add_argument("--seconds", type=float, default=5, help="of each run (default: 5)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="farlink-bench-") as folder:
        if "telemetry" in options.what:
            measure_telemetry(options.build, folder, options.turns, options.seconds)
        if "metrics" in options.what:
            measure_metrics(options.build, folder, 1000)
        if "clients" in options.what:
            measure_clients(options.build, folder, 200, options.seconds)


if __name__ == "__main__":
    try:
        main()
    except RunFailed as failure:
        sys.exit(f"api.py: {failure}")
