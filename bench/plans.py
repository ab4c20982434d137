# SPDX-License-Identifier: Apache-2.0
"""A large contact plan: its check by farlinkctl, and the start of a node that uses it."""

import json
import os
import random
import time

from programs import Program

START_LIMIT_S = 60
NODES = 1000
CONTACTS = 100_000
PERIODIC = 1_000
PAIRS = 3 * NODES
YEAR_S = 365 * 86_400
PERIOD_S = 5_700


def make_plan(path):
    """Contacts of days, both ways, and passes each 95 minutes for a year, in pairs of their own."""
    draw = random.Random(7)
    rows = []

    def add(nodes, start_s, length_s, **more):
        for source, dest in (nodes, nodes[::-1]):
            rows.append({"contact": len(rows), "source": source, "dest": dest,
                         "startTime": start_s, "endTime": start_s + length_s,
                         "rateBitsPerSec": 8000 * draw.randint(1, 100), **more})

    pairs = [(1 + number % NODES, 1 + (number % NODES + 1 + number // NODES) % NODES)
             for number in range(PAIRS)]
    while len(rows) < CONTACTS - PERIODIC:
        turn, number = divmod(len(rows) // 2, PAIRS)
        add(pairs[number], turn * 7200 + draw.randint(0, 3600), draw.randint(60, 600),
            owlt=draw.randint(0, 9))
    for number in range(PERIODIC // 2):
        add((NODES + 1 + number, 1 + number), draw.randint(0, PERIOD_S - 600), 600,
            repeatSeconds=PERIOD_S, until=YEAR_S)
    with open(path, "w", encoding="ascii") as file:
        json.dump({"contacts": rows}, file)


def run_plan(bench):
    """Seconds until the plan is checked, and until a node with it is ready; its memory then."""
    folder = bench.run_folder()
    plan = os.path.join(folder, "plan.json")
    make_plan(plan)
    began = time.monotonic()
    Program(bench.program("farlinkctl"), "plan", "check", plan).expect_success(START_LIMIT_S)
    checked = time.monotonic()
    path = os.path.join(folder, "node.json")
    with open(path, "w", encoding="ascii") as file:
        json.dump({"myNodeId": 1, "contactPlanFile": plan,
                   "inductsConfig": [{"url": "stcp://127.0.0.1:0"}],
                   "outductsConfig": [{"url": "stcp://127.0.0.1:9", "nextHopNodeId": 2}]}, file)
    node = Program(bench.program("farlink"), "--counters", "--config", path)
    try:
        node.line("out", lambda line: line if "ports" in json.loads(line) else None, START_LIMIT_S)
        loaded = time.monotonic()
        return {"check_s": checked - began, "load_s": loaded - checked,
                "router_rss_mb": node.peak_rss_mb(), "ok": True}
    finally:
        node.kill()
