#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The alert rules and the Grafana board, by Debian's Prometheus: promtool reads the rules, and a
real Prometheus scrapes a running node. Every query of rules and board has an answer, or is empty
for a reason that stands here.

Usage: prometheus_test.py [--build FOLDER]
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "tests/integration"))
from api_node import Node  # noqa: E402
from program import Program  # noqa: E402

RULES = ROOT / "packaging/prometheus/farlink-alerts.yaml"
BOARD = ROOT / "packaging/grafana/farlink.json"
LIMIT_S = 60
# A comparison selects: what it compares must have an answer.
COMPARISON = re.compile(r"\s*(?:>|<|==)\s*[\d.]+$")
VARIABLES = {"$instance": ".*", "$__rate_interval": "20s"}


def queries_of_board():
    for panel in json.loads(BOARD.read_text())["panels"]:
        for target in panel["targets"]:
            query = target["expr"]
            for name, value in VARIABLES.items():
                query = query.replace(name, value)
            yield panel["title"], query


def queries_of_rules():
    text = RULES.read_text()
    for found in re.finditer(r"- alert: (\w+)\n\s+expr: (.+)\n", text):
        yield found[1], re.sub(r"\[\d+m\]", "[20s]", found[2])


class Prometheus:
    def __init__(self, folder, port_of_node):
        config = {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                  "rule_files": [str(RULES)],
                  "scrape_configs": [{"job_name": "farlink", "static_configs":
                                      [{"targets": [f"127.0.0.1:{port_of_node}"]}]}]}
        (folder / "prometheus.json").write_text(json.dumps(config))  # JSON is YAML, too
        subprocess.run(["promtool", "check", "config", str(folder / "prometheus.json")], check=True)
        self.program = Program("prometheus", [
            "prometheus", f"--config.file={folder}/prometheus.json",
            f"--storage.tsdb.path={folder}/data", "--web.listen-address=127.0.0.1:0"])
        pattern = re.compile(r'msg="Listening on" address=127\.0\.0\.1:(\d+)')
        self.port = self.program.wait_line(
            self.program.err, lambda line: found[1] if (found := pattern.search(line)) else None,
            LIMIT_S)

    def api(self, path, **query):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=LIMIT_S) as answer:
            return json.load(answer)["data"]

    def samples(self, query):
        return self.api("query", query=query)["result"]

    def answers(self, query):
        """Whether there are samples; until it is ready, Prometheus refuses queries."""
        try:
            return bool(self.samples(query))
        except urllib.error.HTTPError:
            return False

    def wait_for(self, query, node):
        """Asks after each second of the node, which it shows by a line of its counters."""
        end = time.monotonic() + LIMIT_S
        while not self.answers(query):
            if time.monotonic() > end:
                raise AssertionError(f"no sample of {query}")
            node.program.wait_line(node.program.out, lambda line: True, LIMIT_S)

    def end(self):
        self.program.end(signal.SIGTERM, LIMIT_S)


class PrometheusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="farlink-prometheus-")
        cls.addClassCleanup(cls.folder.cleanup)
        folder = pathlib.Path(cls.folder.name)
        cls.sink = Program("bpsink", [f"{Node.programs}/bpsink", "--eid", "ipn:30.1", "--listen",
                                      "stcp://127.0.0.1:0"])
        cls.addClassCleanup(cls.sink.end, signal.SIGTERM, LIMIT_S)
        port = cls.sink.wait_line(cls.sink.err, cls.port_in, LIMIT_S)
        # One link carries bundles, one never comes up; bundles for 20 wait.
        plan = [{"contact": number, "source": 10, "dest": dest, "startTime": 0, "endTime": 3600,
                 "rateBitsPerSec": 10_000_000, "owlt": 0} for number, dest in ((1, 20), (2, 30))]
        cls.node = Node(contacts=plan, more={
            "outductsConfig": [{"url": "stcp://127.0.0.1:1", "nextHopNodeId": 20},
                               {"url": f"stcp://127.0.0.1:{port}", "nextHopNodeId": 30}],
            "alarms": {"linkMissesContactAfterSeconds": 2}})
        cls.addClassCleanup(cls.node.end)
        links = json.loads(cls.node.ask("GET", "/api/v1/links/0", token=cls.node.read)[2])
        to = links["link"]["address"]
        cls.senders = [Program("bpgen", [
            f"{Node.programs}/bpgen", "--from", "ipn:1.1", "--to", f"ipn:{dest}.1", "--via",
            f"stcp://{to}", "--bundle-rate", "20", "--bundles", "100000", "--bundle-size", "1000"])
            for dest in (20, 30)]
        for sender in cls.senders:
            cls.addClassCleanup(sender.end, signal.SIGTERM, LIMIT_S)
        cls.prometheus = Prometheus(folder, cls.node.port)
        cls.addClassCleanup(cls.prometheus.end)
        cls.prometheus.wait_for("rate(farlink_link_sent_bytes_total[20s]) > 0", cls.node)
        cls.prometheus.wait_for("rate(farlink_storage_written_bundles_total[20s]) > 0", cls.node)

    @staticmethod
    def port_in(line):
        found = re.search(r"127\.0\.0\.1:(\d+)", line)
        return found and found[1]

    def test_promtool_reads_the_rules(self):
        subprocess.run(["promtool", "check", "rules", str(RULES)], check=True)
        loaded = self.prometheus.api("rules")["groups"]
        names = [rule["name"] for group in loaded for rule in group["rules"]]
        self.assertEqual(len(names), len(list(queries_of_rules())), names)

    def test_promtool_reads_the_metrics(self):
        status, _, text = self.node.ask("GET", "/metrics", token=self.node.read)
        self.assertEqual(status, 200)
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True,
                              check=False)
        # Contact plans have rates in bits per second.
        self.assertEqual(done.stderr.decode().splitlines(), [
            'farlink_link_rate_bits_per_second use base unit "bytes" instead of "bits"'])

    def test_every_query_of_the_rules_has_samples(self):
        for name, query in queries_of_rules():
            with self.subTest(rule=name):
                self.assertTrue(self.prometheus.samples(COMPARISON.sub("", query)), query)

    def test_every_query_of_the_board_has_samples(self):
        for panel, query in queries_of_board():
            with self.subTest(panel=panel):
                self.assertTrue(self.prometheus.samples(COMPARISON.sub("", query)), query)

    def test_every_alarm_has_a_rule(self):
        text = (ROOT / "common/config/operations/alarms_config.hpp").read_text()
        names = set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', text))
        self.assertEqual(len(names), 17)
        self.assertEqual(names, set(re.findall(r'farlink_alarm_active\{name="([a-z-]+)"',
                                               RULES.read_text())))

    def test_an_alarm_of_the_node_fires(self):
        self.prometheus.wait_for('ALERTS{alertname="FarlinkLinkMissesContact",'
                                 'severity="critical",alertstate="firing"}', self.node)


def install():
    if shutil.which("prometheus") is None or shutil.which("promtool") is None:
        subprocess.run(["apt-get", "install", "--yes", "--quiet", "--no-install-recommends",
                        "prometheus"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    options, rest = parser.parse_known_args()
    install()
    Node.programs = os.path.join(os.path.abspath(options.build), "bin")
    unittest.main(argv=[sys.argv[0], *rest])
