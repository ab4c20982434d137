#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The demo: bpgen -> farlink -> bpsink under a contact plan whose link is up, down and up again.

Prints a live line a second and a table at the end. Exits 0 only when every bundle was delivered
exactly once and the node's ledger balances.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile

from program import Program, api_url, latest_json

UP_1, DOWN, UP_2 = 0, 10, 20  # seconds at which the link's state changes
PLAN_END = 3600
START_LIMIT_S = 20
DRAIN_LIMIT_S = 30


def make_token(bin_folder, folder):
    """An operate token for the node; its digest is in the node's file of tokens."""
    return subprocess.run(
        [os.path.join(bin_folder, "farlinkctl"), "tokens", "make", "--role", "operate", "--name",
         "demo", "--file", os.path.join(folder, "tokens.json")],
        check=True, capture_output=True, text=True).stdout.strip()


def write_configuration(folder, sink_port):
    plan = {"contacts": [
        {"contact": 0, "source": 10, "dest": 2, "startTime": UP_1, "endTime": DOWN,
         "rateBitsPerSec": 1_000_000_000, "owlt": 0},
        {"contact": 1, "source": 10, "dest": 2, "startTime": UP_2, "endTime": PLAN_END,
         "rateBitsPerSec": 1_000_000_000, "owlt": 0}]}
    config = {
        "myNodeId": 10,
        "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
        "outductsConfig": [{"url": f"stcp://127.0.0.1:{sink_port}", "nextHopNodeId": 2}],
        "storageConfig": {"storeFilePath": os.path.join(folder, "store")},
        "contactPlanFile": "plan.json",
        "api": {"listen": "127.0.0.1:0", "tokensFile": "tokens.json"}}
    for name, content in (("plan.json", plan), ("gateway.json", config)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            json.dump(content, file, indent=2)
    return os.path.join(folder, "gateway.json")


def lost_so_far(counters):
    return sum(value for key, value in counters.items()
               if "_deleted_" in key or "_malformed_" in key or key.endswith("_expired"))


def live_line(second, counters, before):
    received = counters.get("ingress_received", 0)
    forwarded = counters.get("egress_forwarded", 0)
    state = "up" if counters.get("egress_connected", 0) else "down"
    rate_in = received - before.get("ingress_received", 0)
    rate_out = forwarded - before.get("egress_forwarded", 0)
    print(f"{second:4d} s  link {state:4s}  in {received:8,d} (+{rate_in:6,d})  "
          f"out {forwarded:8,d} (+{rate_out:6,d})  "
          f"stored {counters.get('storage_stored_now', 0):7,d}  "
          f"lost {lost_so_far(counters):3,d}", flush=True)


def table(rows):
    width = max(len(name) for name, _ in rows)
    print()
    for name, value in rows:
        print(f"  {name:<{width}}  {value:>14}")
    print()


def watch(node, generator, sink, total):
    """Prints a live line for each second's counters until all bundles have arrived."""
    counters, progress, quiet_seconds = {}, {}, 0
    for second in range(1, UP_2 + DRAIN_LIMIT_S + 1):
        before = counters
        counters = node.wait_line(node.out, json.loads, 5)
        progress = latest_json(sink.err, progress)
        live_line(second, counters, before)
        if generator.process.poll() is not None and progress.get("received", 0) >= total:
            quiet_seconds += 1
        if quiet_seconds == 2:  # a late repeat would have arrived
            return counters
    return counters


def run(bin_folder, rate, size, seconds):
    total = rate * seconds
    programs = []
    with tempfile.TemporaryDirectory(prefix="farlink-demo-") as folder:
        try:
            sink = Program("bpsink", [
                os.path.join(bin_folder, "bpsink"), "--eid", "ipn:2.1", "--listen",
                "stcp://127.0.0.1:0", "--json", "--progress"])
            programs.append(sink)
            sink_port = sink.wait_line(
                sink.err, lambda line: int(line.rsplit(":", 1)[1])
                if line.startswith("listening on") else None, START_LIMIT_S)
            token = make_token(bin_folder, folder)
            node = Program("farlink", [os.path.join(bin_folder, "farlink"), "--counters",
                                       "--config", write_configuration(folder, sink_port)])
            programs.append(node)
            page = node.wait_line(node.err, api_url, START_LIMIT_S)
            port = node.wait_line(
                node.out, lambda line: json.loads(line).get("ports", [None])[0], START_LIMIT_S)
            print(f"node 10 listens on stcp://127.0.0.1:{port}; its link to node 2 is up until "
                  f"{DOWN} s, down until {UP_2} s, then up again")
            print(f"the dashboard is at {page} ; to take the link down there, or to change its "
                  f"contact plan, use the token\n  {token}")
            print(f"bpgen sends {total:,d} bundles of {size:,d} bytes, {rate:,d} a second\n")
            generator = Program("bpgen", [
                os.path.join(bin_folder, "bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1",
                "--via", f"stcp://127.0.0.1:{port}", "--bundle-size", str(size),
                "--bundle-rate", str(rate), "--bundles", str(total), "--json"])
            programs.append(generator)
            counters = watch(node, generator, sink, total)
            generator_code = generator.end(signal.SIGTERM, 10)
            node_code = node.end(signal.SIGTERM, 20)
            counters = latest_json(node.out, counters)
            sink_code = sink.end(signal.SIGTERM, 10)
            return report(counters, sink, (generator_code, node_code, sink_code), node)
        finally:
            for program in programs:
                program.end(signal.SIGKILL, 5)


def report(counters, sink, codes, node):
    result = latest_json(sink.out, {})
    sent = counters.get("ingress_received", 0)
    latency = result.get("latencyMilliseconds", {})
    table([
        ("sent", f"{sent:,d}"),
        ("cut through", f"{counters.get('ingress_cut_through', 0):,d}"),
        ("stored and released", f"{counters.get('storage_released', 0):,d}"),
        ("received", f"{result.get('received', 0):,d}"),
        ("duplicates", f"{result.get('duplicates', 0):,d}"),
        ("lost", f"{sent - result.get('received', 0):,d}"),
        ("goodput", f"{(result.get('goodputBitsPerSec') or 0) / 1e6:,.1f} Mbit/s"),
        ("median latency", f"{latency.get('p50') or 0:,.2f} ms"),
        ("99th percentile", f"{latency.get('p99') or 0:,.2f} ms")])
    lines = [line for line in node.err_kept if not line[:4].isdigit()]
    print("the node's ledger:\n" + "".join("  " + line for line in lines))
    ok = all(code == 0 for code in codes) and result.get("received", 0) == sent > 0
    print("every bundle was delivered exactly once" if ok else
          f"NOT every bundle was delivered exactly once (exit codes {codes})")
    return 0 if ok else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--bundle-rate", type=int, default=5000, help="bundles a second")
    parser.add_argument("--bundle-size", type=int, default=10000, help="payload bytes")
    parser.add_argument("--seconds", type=int, default=28, help="how long bpgen sends")
    options = parser.parse_args()
    bin_folder = os.path.join(options.build, "bin")
    return run(bin_folder, options.bundle_rate, options.bundle_size, options.seconds)


if __name__ == "__main__":
    sys.exit(main())
