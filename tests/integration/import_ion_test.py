#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""farlinkctl config import-ion: the files of ION nodes become nodes that carry traffic.

Usage: import_ion_test.py --build FOLDER [unittest arguments]
"""
import json
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from api_node import LIMIT_S, Node, main
from ports import free_ports
from program import Program

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "vectors/ion"
BUNDLES = 200
OK, FAILED, USAGE = 0, 1, 2


class ImportIonTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="farlink-import-")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def tool(self, name, *words):
        return [f"{Node.programs}/{name}", *[str(word) for word in words]]

    def start(self, name, *words):
        program = Program(name, self.tool(name, *words))
        self.addCleanup(lambda: program.process.poll() is None and
                        program.end(signal.SIGKILL, LIMIT_S))
        return program

    def run_tool(self, name, *words):
        return subprocess.run(self.tool(name, *words), capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)

    def copy(self, names):
        """Copies of the files with free ports instead of theirs; the ports by their old number."""
        texts = {name: (SOURCE / name).read_text() for name in names}
        old = sorted(set(re.findall(r"127\.0\.0\.1:(\d+)", "".join(texts.values()))))
        ports = dict(zip(old, free_ports(len(old)), strict=True))
        files = []
        for name, text in texts.items():
            file = self.path / pathlib.Path(name).name
            file.write_text(re.sub(r"127\.0\.0\.1:(\d+)",
                                   lambda found: f"127.0.0.1:{ports[found[1]]}", text))
            files.append(file)
        return files, ports

    def convert(self, files, name):
        """Imports the files and checks the result; the folder."""
        out = self.path / name
        made = self.run_tool("farlinkctl", "config", "import-ion", *files, "-o", out)
        self.assertEqual(made.returncode, OK, made.stderr)
        checked = self.run_tool("farlink", "--config", out / "farlink.json", "--check")
        self.assertEqual(checked.returncode, OK, checked.stderr + checked.stdout)
        return out

    def node(self, folder):
        node = self.start("farlink", "--counters", "--config", folder / "farlink.json")
        node.wait_line(node.out, lambda line: True if '"ready"' in line else None, LIMIT_S)
        return node

    def stop(self, node):
        self.assertEqual(node.end(signal.SIGTERM, LIMIT_S), 0, "".join(node.err_kept))

    def exchange(self, to, listen, via):
        """bpgen by one link of the node, bpsink behind another; every bundle once."""
        sink = self.start("bpsink", "--eid", to, "--listen", listen, "--bundles", BUNDLES,
                          "--idle-exit", LIMIT_S, "--json")
        sink.wait_line(sink.err, lambda line: True if "listening" in line else None, LIMIT_S)
        sent = self.run_tool("bpgen", "--from", "ipn:1.1", "--to", to, "--via", via, "--bundles",
                             BUNDLES, "--bundle-size", 800, "--bundle-rate", 500)
        self.assertEqual(sent.returncode, OK, sent.stderr)
        report = sink.wait_line(
            sink.out, lambda line: json.loads(line) if '"received"' in line else None, LIMIT_S)
        self.assertEqual((report["received"], report["lost"], report["corrupt"]),
                         (BUNDLES, 0, 0), report)

    def relay(self):
        return self.copy([f"relay/relay.{kind}" for kind in (
            "ionrc", "ionconfig", "ionsecrc", "bpsecrc", "ltprc", "bprc", "ipnrc", "cfdprc",
            "acsrc", "biberc")])

    def test_two_nodes_over_ltp(self):
        files, ports = self.copy(["two_nodes/ground.rc", "two_nodes/orbiter.rc"])
        for file in files:  # a light second would need a link that has one
            file.write_text(file.read_text().replace("10 20 1\n", "10 20 0\n"))
        ground, orbiter = (self.node(self.convert([file], file.stem)) for file in files)
        self.exchange("ipn:2.1", f"stcp://127.0.0.1:{ports['4562']}",
                      f"stcp://127.0.0.1:{ports['4561']}")
        self.stop(ground)
        self.stop(orbiter)

    def test_each_convergence_layer_of_a_relay(self):
        files, ports = self.relay()
        node = self.node(self.convert(files, "relay"))
        cases = [("stcp", "4572", "ipn:41.1", "stcp://127.0.0.1:{}", "4581"),
                 ("tcpclv3", "4571", "ipn:42.1", "tcpclv3://127.0.0.1:{}", "4582"),
                 ("udp", "4573", "ipn:43.1", "udp://127.0.0.1:{}", "4583"),
                 ("ltp", "1115", "ipn:44.1", "ltp://127.0.0.1:{}?thisLtpEngineId=44", "1116")]
        for scheme, induct, to, listen, outduct in cases:
            with self.subTest(scheme):
                self.exchange(to, listen.format(ports[outduct]),
                              f"{scheme}://127.0.0.1:{ports[induct]}")
        self.stop(node)

    def test_nothing_is_written_when_anything_is_refused(self):
        files, _ = self.relay()
        with open(files[0], "a", encoding="utf-8") as ionrc:
            ionrc.write("a contact +0\nfly home\n")
        out = self.path / "out"
        made = self.run_tool("farlinkctl", "config", "import-ion", *files, "-o", out)
        self.assertEqual(made.returncode, FAILED, made.stderr)
        self.assertFalse(out.exists())
        for place in ("relay.ionrc:15: a contact: refused", "relay.ionrc:16: fly home: refused"):
            self.assertIn(place, made.stderr)

    def test_a_configuration_that_is_there_stays(self):
        files, _ = self.relay()
        out = self.convert(files, "out")
        (out / "farlink.json").write_text("mine")
        words = ("config", "import-ion", *files, "-o", out)
        self.assertEqual(self.run_tool("farlinkctl", *words).returncode, FAILED)
        self.assertEqual((out / "farlink.json").read_text(), "mine")
        self.assertEqual(self.run_tool("farlinkctl", *words, "--force").returncode, OK)
        self.assertNotEqual((out / "farlink.json").read_text(), "mine")

    def test_bad_usage_and_files_that_cannot_be_read(self):
        self.assertEqual(self.run_tool("farlinkctl", "config", "import-ion").returncode, USAGE)
        missing = self.run_tool("farlinkctl", "config", "import-ion", self.path / "no.rc", "-o",
                                self.path / "out")
        self.assertEqual(missing.returncode, FAILED)
        self.assertIn("no.rc", missing.stderr)
        files, _ = self.relay()
        full = self.run_tool("farlinkctl", "config", "import-ion", *files, "-o", "/proc/out")
        self.assertEqual(full.returncode, FAILED)
        self.assertIn("/proc/out", full.stderr)


if __name__ == "__main__":
    main(__doc__)
