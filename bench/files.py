# SPDX-License-Identifier: Apache-2.0
"""Files from bpsendfile to bpreceivefile, and by CFDP, by two nodes with TCPCLv4 between them."""

import json
import os
import shutil
import time

from programs import Program

START_LIMIT_S = 20
RUN_LIMIT_S = 900
SMALL_FILES = 100_000
SMALL_BYTES = 1_000
BLOCK_BYTES = 8_000_000
SERVICE = "5042"
CFDP_SERVICE = "64"
CFDP_BUNDLE_BYTES = 60_000


def make_files(folder, case):
    """The source, and how many files there are of how many bytes."""
    source = os.path.join(folder, "source")
    os.mkdir(source)
    count = SMALL_FILES if case.payload_bytes == SMALL_BYTES else 1
    block = os.urandom(BLOCK_BYTES)
    for number in range(count):
        with open(os.path.join(source, str(number)), "wb") as file:
            left = case.payload_bytes
            while left > 0:
                left -= file.write(block[:left])
    return source, count


def start_destination(bench, case, folder, service=SERVICE, neighbours=()):
    """The node of the receiver, and its port."""
    config = {"myNodeId": 2,
              "inductsConfig": [{"url": f"{case.scheme}://127.0.0.1:0",
                                 "neighbours": list(neighbours)}],
              "outductsConfig": [],
              "storageConfig": {"storeFilePath": os.path.join(folder, "store-2")},
              "applications": {"socket": "app-2.sock", "endpoints": [{"endpoint": service}],
                               "access": [{"user": str(os.getuid()), "register": ["ipn:2.*"]}]}}
    path = os.path.join(folder, "node-2.json")
    with open(path, "w", encoding="ascii") as file:
        json.dump(config, file)
    node = Program(bench.program("farlink"), "--counters", "--config", path)

    def port_of(line):
        ports = json.loads(line).get("ports")
        return ports[0] if ports else None

    return node, node.line("out", port_of, START_LIMIT_S)


def run_files(bench, case):
    """A case of the kind "sendfile": from the start of bpsendfile until all files are on disk."""
    folder = bench.run_folder()
    programs = []
    try:
        source, count = make_files(folder, case)
        second, port = start_destination(bench, case, folder)
        programs.append(second)
        first, _ = bench.start_router(case, port, folder)
        programs.append(first)
        target = os.path.join(folder, "target")
        receiver = Program(bench.program("bpreceivefile"), "--node",
                           os.path.join(folder, "app-2.sock"), SERVICE, target, "--count", count,
                           "--json")
        programs.append(receiver)
        receiver.line("err", lambda line: True if "receiving at" in line else None, START_LIMIT_S)
        began = time.monotonic()
        sender = Program(bench.program("bpsendfile"), "--node", os.path.join(folder, "app.sock"),
                         f"ipn:2.{SERVICE}", source, "--json", *case.generator_options)
        programs.append(sender)
        sender.expect_success(RUN_LIMIT_S)
        receiver.expect_success(RUN_LIMIT_S)
        seconds = time.monotonic() - began
        summary = receiver.last_line("out", lambda line: parsed_summary(line))
        result = {"seconds": seconds, "bundles": count, "payload_bytes": summary["fileBytes"],
                  "bundles_per_second": summary["files"] / seconds,
                  "goodput_bps": summary["fileBytes"] * 8 / seconds,
                  "lost": count - summary["files"],
                  "hop_cpu_s": first.busy_s() + second.busy_s(),
                  "hop_rss_mb": max(first.peak_rss_mb(), second.peak_rss_mb()),
                  "generator_cpu_s": sender.cpu_s, "sink_cpu_s": receiver.cpu_s,
                  "ok": summary["files"] == count and summary["refused"] == 0}
        for node in (first, second):
            if node.stop() != 0:
                raise node.failure(f"exit code {node.process.returncode}")
        return result
    finally:
        for program in programs:
            program.kill()
        shutil.rmtree(folder)


def start_entity(bench, folder, number, other, socket):
    """A CFDP entity beside its node, with several PDUs in a bundle."""
    root = os.path.join(folder, f"root-{number}")
    config = {"entityId": number, "root": root, "node": os.path.join(folder, socket),
              "controlSocket": os.path.join(folder, f"cfdp-{number}.sock"),
              "remotes": [{"entityId": other, "bundleBytes": CFDP_BUNDLE_BYTES}]}
    path = os.path.join(folder, f"entity-{number}.json")
    with open(path, "w", encoding="ascii") as file:
        json.dump(config, file)
    entity = Program(bench.program("farlink-cfdpd"), "--json", "--config", path)
    entity.line("out", lambda line: json.loads(line)["type"] == "ready" or None, START_LIMIT_S)
    return entity, root


def run_cfdp(bench, case):
    """A case of the kind "cfdp": from the first put until all ends are confirmed."""
    folder = bench.run_folder()
    programs = []
    try:
        # Its answers return by the session of the first node.
        second, port = start_destination(bench, case, folder, CFDP_SERVICE,
                                         [{"nodeId": 10, "address": "127.0.0.1"}])
        programs.append(second)
        first, _ = bench.start_router(case, port, folder)
        programs.append(first)
        receiver, target = start_entity(bench, folder, 2, 10, "app-2.sock")
        programs.append(receiver)
        sender, root = start_entity(bench, folder, 10, 2, "app.sock")
        programs.append(sender)
        source, count = make_files(root, case)
        began = time.monotonic()
        put = Program(bench.program("farlink-cfdp"), "--json", "--socket",
                      os.path.join(folder, "cfdp-10.sock"), "put", "--recursive", "--wait",
                      os.path.basename(source), 2)
        programs.append(put)
        put.expect_success(RUN_LIMIT_S)
        seconds = time.monotonic() - began
        arrived = len(os.listdir(os.path.join(target, "inbox", os.path.basename(source))))
        result = {"seconds": seconds, "bundles": count,
                  "payload_bytes": arrived * case.payload_bytes,
                  "bundles_per_second": arrived / seconds,
                  "goodput_bps": arrived * case.payload_bytes * 8 / seconds,
                  "lost": count - arrived,
                  "hop_cpu_s": first.busy_s() + second.busy_s(),
                  "hop_rss_mb": max(first.peak_rss_mb(), second.peak_rss_mb()),
                  "generator_cpu_s": sender.busy_s() + put.cpu_s, "sink_cpu_s": receiver.busy_s(),
                  "ok": arrived == count}
        for program in (sender, receiver, first, second):
            if program.stop() != 0:
                raise program.failure(f"exit code {program.process.returncode}")
        return result
    finally:
        for program in programs:
            program.kill()
        shutil.rmtree(folder)


def parsed_summary(line):
    found = json.loads(line)
    return found if found["type"] == "summary" else None
