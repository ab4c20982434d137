#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a whole network of nodes on this machine and sends bundles through it.

A folder holds the configuration of each node (node-1.json, ...) and their contact plan. Bundles go
from the node with the smallest number to the one neighbour that has no configuration: bpsink
listens there. Its network.json may name the traffic, ports between which linkemu emulates a link,
and nodes that are killed and started again. Each second it prints how many bundles every node
forwards and stores. Exits 0 only when every bundle was delivered; repeats are counted.
"""

import argparse
import glob
import json
import os
import re
import signal
import sys
import tempfile
import time

from ports import free_ports
from program import Program, latest_json

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                        "config", "examples")
START_LIMIT_S = 20
STOP_LIMIT_S = 20
PORT = re.compile(r"(?<=:)\d+(?=$|\?)")


class Network:
    def __init__(self, source, folder, bin_folder, choose_ports):
        self.folder, self.bin = folder, bin_folder
        self.configs, self.nodes, self.counters, self.taken = {}, {}, {}, {}
        self.emulators = []
        for path in glob.glob(os.path.join(source, "node-*.json")):
            with open(path, encoding="ascii") as file:
                config = json.load(file)
            self.configs[config["myNodeId"]] = config
        if not self.configs:
            raise RuntimeError(f"no node-*.json in {source}")
        self.description = {}
        if os.path.exists(os.path.join(source, "network.json")):
            with open(os.path.join(source, "network.json"), encoding="ascii") as file:
                self.description = json.load(file)
        if choose_ports:
            self._move_to_free_ports()
        for number, config in self.configs.items():
            self._write(f"node-{number}.json", config)
        with open(os.path.join(source, "plan.json"), encoding="ascii") as file:
            self._write("plan.json", json.load(file))

    def _write(self, name, content):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            json.dump(content, file, indent=2)

    def _links(self, which):
        return [link for config in self.configs.values() for link in config[which]]

    def _move_to_free_ports(self):
        links = self._links("inductsConfig") + self._links("outductsConfig")
        bound = [link for link in links if link.get("ltpSenderBoundPort")]
        used = sorted({PORT.search(link["url"]).group() for link in links} |
                      {str(link["ltpSenderBoundPort"]) for link in bound})
        moved = dict(zip(used, free_ports(len(used))))
        for link in links:
            link["url"] = PORT.sub(lambda found: str(moved[found.group()]), link["url"])
        for link in bound:
            link["ltpSenderBoundPort"] = moved[str(link["ltpSenderBoundPort"])]
        for link in self.description.get("emulatedLinks", ()):
            link.update({end: moved[str(link[end])] for end in ("from", "to")})

    def first(self):
        """The number of the first node of the path, and its address."""
        number = min(self.configs)
        return number, self.configs[number]["inductsConfig"][0]["url"]

    def sink(self):
        """The number of the destination node, and its address."""
        ends = {link["nextHopNodeId"]: link["url"] for link in self._links("outductsConfig")
                if link["nextHopNodeId"] not in self.configs}
        if len(ends) != 1:
            raise RuntimeError("expected one neighbour without a configuration, the destination; "
                               f"found {len(ends)}: {sorted(ends)}")
        return next(iter(ends.items()))

    def start(self):
        for link in self.description.get("emulatedLinks", ()):
            emulator = Program("linkemu", [
                os.path.join(self.bin, "linkemu"), "--json", *link["options"], "udp",
                "--listen", f"127.0.0.1:{link['from']}", "--to", f"127.0.0.1:{link['to']}"])
            self.emulators.append(emulator)
            emulator.wait_line(emulator.out, json.loads, START_LIMIT_S)
        for number in sorted(self.configs):
            self.begin(number)
        for number in self.nodes:
            self.await_start(number)

    def begin(self, number):
        self.nodes[number] = Program(f"node {number}", [
            os.path.join(self.bin, "farlink"), "--counters", "--config",
            os.path.join(self.folder, f"node-{number}.json")])

    def await_start(self, number):
        node = self.nodes[number]
        node.wait_line(node.out, lambda line: json.loads(line).get("ports"), START_LIMIT_S)
        self.counters[number], self.taken[number] = {}, time.monotonic()

    def fail(self, second):
        """Kills and starts the nodes that fail or come back in this second of the run."""
        for failure in self.description.get("failures", ()):
            number, at = failure["node"], failure["atSeconds"]
            if second == at:
                print(f"       node {number} is killed")
                self.nodes.pop(number).end(signal.SIGKILL, 5)
            elif second == at + failure["forSeconds"]:
                print(f"       node {number} starts again")
                self.begin(number)
                self.await_start(number)

    def take_counters(self, clock=time.monotonic):
        """Waits for the next counters of each node; returns its forwarded bundles per second.

        All nodes print at the beginning of a second, in no order: the function waits for each, and
        divides its forwarded bundles by the time since its counters before.
        """
        rates = {}
        for number, node in self.nodes.items():
            before, then = self.counters[number], self.taken[number]
            now = latest_json(node.out, node.wait_line(node.out, json.loads, 5))
            self.counters[number], self.taken[number] = now, clock()
            passed = now.get("egress_forwarded", 0) - before.get("egress_forwarded", 0)
            rates[number] = passed / (self.taken[number] - then)
        return rates

    def stored(self):
        return sum(counters.get("storage_stored_now", 0) for counters in self.counters.values())

    def stop(self):
        return [node.end(signal.SIGTERM, STOP_LIMIT_S) for node in self.nodes.values()]

    def kill(self):
        for program in (*self.nodes.values(), *self.emulators):
            program.end(signal.SIGKILL, 5)


def watch(network, sink, total, most_seconds):
    """Prints a line per second until all bundles have arrived."""
    progress = {}
    print("       bundles per second forwarded by node ... (and bundles stored in all nodes)")
    for second in range(1, most_seconds + 1):
        network.fail(second)
        rates = network.take_counters()
        progress = latest_json(sink.err, progress)
        ways = "  ".join(f"{number}: {rate:5,.0f}" for number, rate in rates.items())
        print(f"{second:4d} s  {ways}  ({network.stored():,d})  delivered "
              f"{progress.get('received', 0):,d}", flush=True)
        if progress.get("received", 0) >= total and network.stored() == 0:
            return


def run(options):
    bin_folder = os.path.join(options.build, "bin")
    programs = []
    with tempfile.TemporaryDirectory(prefix="farlink-network-") as folder:
        network = Network(options.folder, folder, bin_folder, options.free_ports)
        traffic = {"bundleRate": 500, "bundleSize": 1000, "seconds": 45, "wait": 30,
                   **network.description.get("traffic", {}),
                   **{key: value for key, value in vars(options).items()
                      if key in ("bundleRate", "bundleSize", "seconds", "wait") and value}}
        rate, total = traffic["bundleRate"], traffic["bundleRate"] * traffic["seconds"]
        try:
            to, url = network.sink()
            sink = Program("bpsink", [os.path.join(bin_folder, "bpsink"), "--eid", f"ipn:{to}.1",
                                      "--listen", url, "--json", "--progress"])
            programs.append(sink)
            sink.wait_line(sink.err, lambda line: line.startswith("listening on") or None,
                           START_LIMIT_S)
            network.start()
            first, via = network.first()
            print(network.description.get("title", f"{len(network.nodes)} nodes"))
            print(f"{total:,d} bundles of {traffic['bundleSize']:,d} B from node {first} to node "
                  f"{to}, {rate:,d} a second\n")
            generator = Program("bpgen", [
                os.path.join(bin_folder, "bpgen"), "--from", "ipn:1000000.1", "--to",
                f"ipn:{to}.1", "--via", via, "--bundle-size", str(traffic["bundleSize"]),
                "--bundle-rate", str(rate), "--bundles", str(total), "--json"])
            programs.append(generator)
            watch(network, sink, total, traffic["seconds"] + traffic["wait"])
            codes = [generator.end(signal.SIGTERM, 10)] + network.stop()
            codes.append(sink.end(signal.SIGTERM, 10))
            return report(latest_json(sink.out, {}), total, codes)
        finally:
            network.kill()
            for program in programs:
                program.end(signal.SIGKILL, 5)


def report(result, total, codes):
    received, repeats = result.get("received", 0), result.get("duplicates", 0)
    print(f"\n{received:,d} of {total:,d} bundles delivered, {repeats:,d} repeats")
    ok = received == total and not any(codes[:-1])
    if not ok:
        print(f"NOT every bundle was delivered (exit codes {codes})")
    return 0 if ok else 1


def known_networks():
    return sorted(os.path.basename(os.path.dirname(path))
                  for path in glob.glob(os.path.join(EXAMPLES, "*", "node-1.json")))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="four_nodes", metavar="NAME",
                        help="a network of config/examples, or a folder with node-*.json, "
                             "plan.json and perhaps network.json (%(default)s); known: "
                             + ", ".join(known_networks()))
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--bundle-rate", type=int, dest="bundleRate", metavar="RATE",
                        help="bundles a second")
    parser.add_argument("--bundle-size", type=int, dest="bundleSize", metavar="BYTES",
                        help="payload bytes")
    parser.add_argument("--seconds", type=int, help="how long bpgen sends")
    parser.add_argument("--wait", type=int, help="seconds for the rest, at most")
    parser.add_argument("--free-ports", action="store_true",
                        help="at free ports, in place of the configured ones")
    options = parser.parse_args()
    if not os.path.isdir(options.folder):
        name, options.folder = options.folder, os.path.join(EXAMPLES, options.folder)
        if not os.path.isdir(options.folder):
            print(f"no network {name}; known: {', '.join(known_networks())}", file=sys.stderr)
            return 1
    try:
        return run(options)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
