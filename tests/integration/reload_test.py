#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The configuration of a running node is reloaded: by command and by SIGHUP, under load, with bad
files, and beside changes by commands.

FARLINK_RELOADS: how often each kind of change is made under load (3; `verify` makes 100).

Usage: reload_test.py --build FOLDER [unittest arguments]
"""
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest

from api_node import LIMIT_S, Node, main
from ports import free_port
from program import Program, latest_json
from reloaded_node import Reloaded, outduct, sink, until

RELOADS = int(os.environ.get("FARLINK_RELOADS", "3"))


class WithNode(unittest.TestCase):
    def begin(self, config=None, options=(), plan=None):
        self.port = free_port()
        config = {"myNodeId": 10,
                  "inductsConfig": [{"url": f"tcpclv4://127.0.0.1:{self.port}"}],
                  "outductsConfig": [outduct(1, 20), outduct(1, 30)], **(config or {})}
        self.node = Reloaded(config, options, plan)
        self.addCleanup(self.node.end)
        return self.node


class Files(WithNode):
    def refused(self, text, reason, path=None):
        before = self.node.ask("status")["links"]
        if text is not None:
            self.node.file.write_text(text)
        reply = self.node.reload()
        self.assertFalse(reply["ok"], reply)
        self.assertEqual(reply["reason"], reason, reply)
        if path is not None:
            key = "needsRestart" if reason == "needs-restart" else "errors"
            self.assertIn(path, [each["path"] for each in reply[key]], reply)
        # Links that were changed and changed back begin anew.
        numbers = [each["link"] for each in before]
        until(lambda: [x["link"] for x in self.node.ask("status")["links"]] == numbers,
              "the links are not as before")
        return reply

    def test_bad_files_change_nothing(self):
        node = self.begin()
        whole = node.file.read_text()
        self.refused(whole[:len(whole) // 2], "invalid")
        self.refused("", "invalid")
        self.refused("[]", "invalid")
        self.refused(whole.replace('"myNodeId"', '"myNodeID"'), "invalid", "myNodeID")
        self.refused(whole.replace("tcpclv4", "carrier-pigeon", 1), "invalid",
                     "inductsConfig[0].url")
        self.refused(whole.replace('"myNodeId": 10', '"myNodeId": 11'), "needs-restart", "myNodeId")
        node.file.write_text(whole.replace('"myNodeId": 10', '"myNodeId": 11'))
        self.assertEqual(node.reload(partial=True)["reason"], "needs-restart")
        node.file.unlink()
        self.assertIn("cannot open the file", self.refused(None, "invalid")["error"])
        node.file.mkdir()
        self.assertIn("folder", self.refused(None, "invalid")["error"])
        node.file.rmdir()
        node.file.write_text(whole)
        self.assertTrue(node.reload()["unchanged"])
        refused = [e for e in node.events() if e["kind"] == "config-refused"]
        self.assertGreaterEqual(len(refused), 8)
        self.assertIn("node.json", refused[0]["text"])
        self.assertTrue(any(line["outcome"] != "done" and line["change"] == "reload"
                            for line in node.audit()), node.audit())

    def test_a_file_that_keeps_changing_is_refused_or_whole(self):
        node = self.begin()
        text = node.file.read_text()
        stop = threading.Event()

        def write_on():
            number = 0
            while not stop.is_set():
                number += 1
                node.file.write_text(text + " " * (number % 50_000) + "\n")

        writer = threading.Thread(target=write_on)
        writer.start()
        try:
            for _ in range(20):
                reply = node.reload()
                self.assertTrue(reply.get("unchanged") or reply.get("reason") == "invalid", reply)
        finally:
            stop.set()
            writer.join()
        node.file.write_text(text)
        self.assertTrue(node.reload()["unchanged"])

    def test_settings_that_need_a_restart_are_named(self):
        node = self.begin()
        node.write(bufferBytes=64 * 1024 * 1024, maxPauseMilliseconds=500)
        reply = self.refused(None, "needs-restart", "bufferBytes")
        self.assertEqual([each["path"] for each in reply["needsRestart"]], ["bufferBytes"])
        partial = node.reload(partial=True)
        self.assertTrue(partial["ok"], partial)
        self.assertEqual([each["path"] for each in partial["changed"]], ["maxPauseMilliseconds"])
        self.assertEqual([each["path"] for each in partial["needsRestart"]], ["bufferBytes"])
        diff = node.ask("config diff")
        self.assertTrue(diff["unchanged"], diff)
        self.assertEqual([each["path"] for each in diff["needsRestart"]], ["bufferBytes"])
        self.assertFalse(node.reload()["ok"])

    def test_a_link_that_cannot_listen_undoes_the_others(self):
        node = self.begin()
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            inducts = node.config["inductsConfig"] + [
                {"url": f"tcpclv4://127.0.0.1:{taken.getsockname()[1]}"}]
            node.write(inductsConfig=inducts,
                       outductsConfig=[outduct(1, 20, keepAliveIntervalSeconds=33), outduct(1, 40)])
            reply = self.refused(None, "invalid", "inductsConfig[1]")
            self.assertIn("cannot listen", reply["errors"][0]["problem"])
        self.assertTrue(until(lambda: self.node.link(30), "the removed link is back"))
        self.assertTrue(node.reload()["ok"])
        until(lambda: node.link(40) and not node.link(30), "the new links")


class Sighup(WithNode):
    def signalled(self, options=()):
        node = self.begin(options=options)
        node.write(logLevel="debug")
        node.program.process.send_signal(signal.SIGHUP)
        until(lambda: "reload by SIGHUP: 1 setting changed: logLevel" in node.log(), "no reload")
        self.assertEqual(node.ask("log level")["levels"]["all"], "debug")
        line = until(lambda: [x for x in node.audit() if x["change"] == "reload"], "no audit")[0]
        self.assertEqual((line["who"], line["outcome"]), ("SIGHUP", "done"), line)
        self.assertEqual(line["values"]["changed"],
                         [{"path": "logLevel", "before": "info", "now": "debug"}], line)
        node.file.write_text("{")
        node.program.process.send_signal(signal.SIGHUP)
        until(lambda: "reload by SIGHUP refused" in node.log(), "no refusal")
        return node

    def test_it_reloads(self):
        self.signalled()

    def test_it_reloads_a_node_of_processes(self):
        node = self.signalled(["--isolate"])
        for child in pathlib.Path(f"/proc/{node.program.process.pid}/task/"
                                  f"{node.program.process.pid}/children").read_text().split():
            os.kill(int(child), signal.SIGHUP)  # all but the supervisor ignore it
        self.assertTrue(node.ask("status")["ok"])

    def test_a_module_that_starts_again_has_the_reloaded_links(self):
        node = self.begin(options=["--isolate"])
        first, second = sink(), sink(node=3)
        for program in (first, second):
            self.addCleanup(program.end, signal.SIGTERM, LIMIT_S)
        node.changed(outductsConfig=[outduct(second.port, 3), outduct(first.port, 2)],
                     routing={"staticRoutes": [{"destinationNodeId": 77, "nextHopNodeId": 3}]})
        node.becomes_up(2)
        own = node.program.process.pid
        for child in pathlib.Path(f"/proc/{own}/task/{own}/children").read_text().split():
            words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if b"egress" in words:
                os.kill(int(child), signal.SIGKILL)
        until(lambda: "module egress: its process is reachable again" in node.log(),
              "egress is not back")
        node.becomes_up(2)
        node.becomes_up(3)
        self.assertEqual([x["neighbour"] for x in node.ask("status")["links"]], [2, 3])


class LiveChanges(WithNode):
    def test_they_outlive_a_reload_until_they_are_reverted(self):
        node = self.begin(plan=[{"contact": 1, "source": 10, "dest": 20, "startTime": 0,
                                 "endTime": 3600, "rateBitsPerSec": 1000000, "owlt": 0}])
        added = node.ask("link add", direction="outduct", config=outduct(1, 50))["link"]
        node.ask("link remove", link=self.node.link(30)["link"])
        slow = node.link(20)["link"]
        self.assertTrue(node.ask("link set", link=slow, rateBitsPerSec=5000)["ok"])
        self.assertTrue(node.ask("log level", logger="ltp", level="debug")["ok"])
        node.ask("plan add", contacts=[{"contact": 9, "source": 10, "dest": 50, "startTime": 0,
                                        "endTime": 60, "rateBitsPerSec": 1000, "owlt": 0}])
        until(lambda: not node.link(30), "the link is removed")
        diff = node.ask("config diff")
        paths = [(each["path"], each["change"]) for each in diff["changed"]]
        self.assertIn(("outductsConfig[2]", "added"), paths)
        self.assertIn(("outductsConfig[1]", "removed"), paths)
        self.assertIn(("outductsConfig[0]", "changed"), paths)
        self.assertIn(("contactPlanFile", "changed"), paths)
        self.assertIn(("logLevel", "changed"), paths)

        # The overridden link itself changes, and keeps its rate.
        changed = node.changed(outductsConfig=[
            outduct(1, 20, keepAliveIntervalSeconds=44), outduct(1, 30)])
        self.assertEqual(changed, ["outductsConfig[0]"])
        until(lambda: (node.link(20) or {}).get("overridden"), "the rate stays")
        self.assertIsNone(node.link(30))
        self.assertEqual(node.link(50)["link"], added["link"])
        self.assertTrue(node.ask("status")["plan"]["changedByCommand"])
        self.assertEqual(node.ask("log level")["levels"]["ltp"], "debug")

        reverted = node.ask("config revert")
        self.assertTrue(reverted["ok"], reverted)
        until(lambda: node.link(30) and not node.link(50), "the links of the file")
        until(lambda: not node.link(20)["overridden"], "the rate of the plan")
        self.assertEqual(node.ask("log level")["levels"]["ltp"], "info")
        self.assertFalse(node.ask("status")["plan"]["changedByCommand"])
        self.assertTrue(node.ask("config diff")["unchanged"], node.ask("config diff"))
        self.assertTrue(node.ask("config revert")["unchanged"])

    def test_they_are_saved_into_the_file(self):
        node = self.begin()
        node.ask("link add", direction="outduct", config=outduct(1, 50))
        node.ask("link remove", link=node.link(30)["link"])
        node.ask("log level", level="warn")
        node.ask("link set", link=node.link(20)["link"], rateBitsPerSec=5000)
        before = node.file.read_text()
        node.file.write_text(before + " ")
        refused = node.ask("config save")
        self.assertEqual(refused["reason"], "conflict", refused)
        self.assertTrue(node.ask("config diff")["fileChanged"])
        self.assertTrue(node.reload()["ok"])
        node.file.chmod(0o640)
        saved = node.ask("config save")
        self.assertTrue(saved["ok"], saved)
        self.assertEqual(len(saved["notSaved"]), 1, saved)
        text = node.file.read_text()
        self.assertEqual((node.path / "node.json.bak").read_text(), before + " ")
        self.assertEqual(node.file.stat().st_mode & 0o777, 0o640)
        config = json.loads(text)
        self.assertEqual([x["nextHopNodeId"] for x in config["outductsConfig"]], [20, 50])
        self.assertEqual(config["logLevel"], "warn")
        self.assertEqual(list(config)[:2], list(node.config)[:2], "the order stays")
        self.assertTrue(node.reload()["unchanged"])
        changed = [each["text"] for each in node.ask("config diff")["changed"]]
        self.assertTrue(all("link set" in text for text in changed), changed)
        self.assertTrue(node.ask("config save")["unchanged"])

    def test_by_farlinkctl(self):
        node = self.begin()

        def ctl(*words):
            return subprocess.run([f"{Node.programs}/farlinkctl", *words, "--config",
                                   str(node.file)], capture_output=True, text=True, check=False)

        self.assertEqual(ctl("reload").stdout, "nothing has changed\n")
        node.write(logLevel="warn", myBpEchoServiceId=9)
        refused = ctl("reload")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("myBpEchoServiceId", refused.stderr)
        done = ctl("reload", "--partial")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("logLevel changed", done.stdout)
        self.assertIn("no changes by commands", ctl("config", "diff").stdout)
        self.assertEqual(ctl("config", "revert").returncode, 0)
        self.assertEqual(ctl("config", "save").returncode, 0)


class Settings(WithNode):
    def test_static_routes_and_limits_apply_at_once(self):
        near = sink(node=2)
        self.addCleanup(near.end, signal.SIGTERM, LIMIT_S)
        node = self.begin({"outductsConfig": [outduct(near.port, 2)]})
        node.becomes_up(2)
        # Stored, since nothing leads there.
        subprocess.run([f"{Node.programs}/bpgen", "--from", "ipn:1.1", "--to", "ipn:2.1", "--via",
                        f"tcpclv4://127.0.0.1:{self.port}", "--bundles", "5"], check=True,
                       capture_output=True)
        self.assertEqual(node.changed(routing={"staticRoutes": [
            {"destinationNodeId": 99, "nextHopNodeId": 2}]}), ["routing.staticRoutes"])
        rules = node.ask("routes")
        self.assertIn("99", json.dumps(rules))
        explained = node.ask("routes explain", source=10, destination=99)
        self.assertEqual([way["nextHop"] for way in explained["ways"]], [2], explained)
        self.assertEqual(node.changed(storageConfig={"storeFilePath": "store",
                                                     "totalStorageCapacityBytes": 100_000_000}),
                         ["storageConfig.totalStorageCapacityBytes"])
        self.assertEqual(sorted(node.changed(statusReports=True, maxPauseMilliseconds=10,
                                             acknowledgeWithinMilliseconds=50)),
                         ["acknowledgeWithinMilliseconds", "maxPauseMilliseconds", "statusReports"])

    def test_the_contact_plan_is_read_again(self):
        contact = {"contact": 1, "source": 10, "dest": 20, "startTime": 0, "endTime": 3600,
                   "rateBitsPerSec": 1000000, "owlt": 0}
        node = self.begin(plan=[contact])
        version = node.ask("status")["plan"]["version"]
        self.assertTrue(node.reload()["unchanged"])
        node.write_plan([contact, {**contact, "contact": 2, "dest": 30}])
        self.assertEqual(node.changed(), ["contactPlanFile"])
        plan = node.ask("status")["plan"]
        self.assertEqual((plan["contacts"], plan["changedByCommand"], plan["version"]),
                         (2, False, version + 1))
        (node.path / "plan.json").write_text("{")
        reply = node.reload()
        self.assertEqual((reply["ok"], reply["errors"][0]["path"]), (False, "contactPlanFile"))
        self.assertEqual(node.ask("status")["plan"]["contacts"], 2)

    def test_the_api(self):
        node = Node(api={"allowedHosts": ["node.example"]})
        self.addCleanup(node.end)
        file = node.path / "node.json"
        config = json.loads(file.read_text())
        config["logLevel"] = "debug"
        file.write_text(json.dumps(config))
        status, _, body = node.ask("POST", "/api/v1/config/reload", token=node.read)
        self.assertEqual(status, 403, body)
        status, _, body = node.ask("POST", "/api/v1/config/reload", token=node.operate)
        self.assertEqual(status, 200, body)
        self.assertEqual(json.loads(body)["changed"][0]["path"], "logLevel")
        _, _, body = node.ask("GET", "/api/v1/config")
        self.assertEqual(json.loads(body)["logLevel"], "debug")
        kinds = [e["kind"] for e in json.loads(node.ask("GET", "/api/v1/events")[2])["events"]]
        self.assertIn("config-reloaded", kinds)
        # Another tokens file: the tokens of the old one are refused from now on.
        old = node.operate
        subprocess.run([f"{Node.programs}/farlinkctl", "tokens", "make", "--role", "operate",
                        "--name", "b", "--file", str(node.path / "others.json")], check=True,
                       capture_output=True)
        config["api"]["tokensFile"] = "others.json"
        config["bufferBytes"] = 64 * 1024 * 1024
        file.write_text(json.dumps(config))
        status, _, body = node.ask("POST", "/api/v1/config/reload", token=old)
        self.assertEqual((status, json.loads(body)["reason"]), (409, "needs-restart"))
        status, _, body = node.ask("POST", "/api/v1/config/reload?partial=true", token=old)
        self.assertEqual(status, 200, body)
        until(lambda: node.ask("GET", "/api/v1/config", token=old)[0] == 401, "the old token")
        self.assertEqual(node.ask("GET", "/api/v1/config/diff")[0], 200)


class Certificates(unittest.TestCase):
    """Of the API and of links, in a node with the control socket `control`."""

    def begin(self, days, **api):
        self.folder = tempfile.TemporaryDirectory(prefix="farlink-reload-")
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        for name, valid in days.items():
            made = subprocess.run([f"{Node.programs}/farlinkctl", "cert", "make", "--dir",
                                   str(self.path / name), "--node", "ipn:10.0", "--days",
                                   str(valid)], capture_output=True, text=True, check=False)
            if made.returncode != 0:
                self.skipTest("a build without TLS")
        self.node = Node(api, folder=self.folder.name, more={
            "controlSocket": "control", "contactPlanFile": "plan.json"})
        self.addCleanup(self.node.end)

    def tls(self, name):
        return {"certificate": f"{name}/ipn-10.pem", "key": f"{name}/ipn-10.key"}

    def ctl(self, *words):
        done = subprocess.run([f"{Node.programs}/farlinkctl", *words, "--socket",
                               str(self.path / "control")], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr

    def reload(self, change):
        file = self.path / "node.json"
        config = json.loads(file.read_text())
        change(config)
        file.write_text(json.dumps(config))
        return self.ctl("reload")

    def shown(self):
        """The certificate that a new connection gets."""
        trust = ssl.create_default_context()
        trust.check_hostname = False
        trust.verify_mode = ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", self.node.port), LIMIT_S) as plain:
            with trust.wrap_socket(plain) as secure:
                return ssl.DER_cert_to_PEM_cert(secure.getpeercert(binary_form=True))

    def made(self, name):
        return (self.path / name / "ipn-10.pem").read_text()

    def alarms(self):
        _, text = self.ctl("alarms", "--json")
        return {each["name"]: each["text"] for each in json.loads(text)["active"]}

    def test_new_connections_to_the_api_get_the_new_one(self):
        self.begin({"one": 100, "other": 100}, tls=self.tls("one"))
        self.assertEqual(self.shown(), self.made("one"))
        code, said = self.reload(lambda config: config["api"].update(tls=self.tls("other")))
        self.assertEqual(code, 0, said)
        until(lambda: self.shown() == self.made("other"), "the other certificate")
        # A key that does not belong to it.
        torn = {**self.tls("one"), "key": "other/ipn-10.key"}
        self.reload(lambda config: config["api"].update(tls=torn))
        self.assertEqual(self.shown(), self.made("other"))

    def test_the_limit_of_the_alarm_is_a_setting(self):
        self.begin({"one": 10}, tls=self.tls("one"))
        until(lambda: "certificate-ends-soon" in self.alarms(), "the alarm")
        self.reload(lambda config: config.update(alarms={"certificateEndsWithinDays": 5}))
        until(lambda: "certificate-ends-soon" not in self.alarms(), "the end of the alarm")

    def test_that_of_a_link_that_was_added_is_watched(self):
        self.begin({"one": 10})
        link = self.path / "link.json"
        link.write_text(json.dumps({
            "url": "tcpclv4://127.0.0.1:1", "nextHopNodeId": 50, "tls": "required",
            "ca": str(self.path / "one/ca.pem"), "cert": str(self.path / "one/ipn-10.pem"),
            "key": str(self.path / "one/ipn-10.key")}))
        code, said = self.ctl("link", "add", "outduct", str(link))
        self.assertEqual(code, 0, said)
        until(lambda: "of link" in self.alarms().get("certificate-ends-soon", ""), "the alarm")
        number = next(each["link"] for each in json.loads(self.ctl("status", "--json")[1])["links"]
                      if each["neighbour"] == 50)
        self.assertEqual(self.ctl("link", "remove", str(number))[0], 0)
        until(lambda: "certificate-ends-soon" not in self.alarms(), "the end of the alarm")

    def test_that_of_the_api_is_watched_after_a_reload(self):
        self.begin({"one": 100, "short": 10}, tls=self.tls("one"))
        code, said = self.reload(lambda config: config["api"].update(tls=self.tls("short")))
        self.assertEqual(code, 0, said)
        until(lambda: "of the API" in self.alarms().get("certificate-ends-soon", ""), "the alarm")


class UnderLoad(unittest.TestCase):
    def test_each_kind_of_change_loses_nothing(self):
        far = sink()
        self.addCleanup(far.end, signal.SIGTERM, LIMIT_S)
        port, spare = free_port(), free_port()
        contact = {"contact": 1, "source": 10, "dest": 2, "startTime": 0, "endTime": 36000,
                   "rateBitsPerSec": 1_000_000_000, "owlt": 0}
        first = Reloaded({"myNodeId": 9, "inductsConfig": [{"url": "tcpclv4://127.0.0.1:0"}],
                          "outductsConfig": [outduct(port, 10)],
                          "routing": {"defaultGateway": 10}})
        self.addCleanup(first.end)
        inducts = [{"url": f"tcpclv4://127.0.0.1:{port}"}]
        outducts = [outduct(far.port, 2)]
        node = Reloaded({"myNodeId": 10, "inductsConfig": inducts, "outductsConfig": outducts},
                        plan=[contact])
        self.addCleanup(node.end)
        kinds = {
            "an outduct changes": lambda n: {"outductsConfig": [
                outduct(far.port, 2, keepAliveIntervalSeconds=10 + n % 2)]},
            "an induct changes": lambda n: {"inductsConfig": [
                {**inducts[0], "maxBundleSizeBytes": 10_000_000 + n % 2}]},
            "an induct comes and goes": lambda n: {"inductsConfig": inducts + [
                {"url": f"tcpclv4://127.0.0.1:{spare}"}] * (1 - n % 2)},
            "an outduct comes and goes": lambda n: {"outductsConfig": outducts + [
                outduct(1, 77)] * (1 - n % 2)},
            "a static route": lambda n: {"routing": {"staticRoutes": [
                {"destinationNodeId": 55 + n % 2, "nextHopNodeId": 2}]}},
            "the log level": lambda n: {"logLevel": ["warn", "info"][n % 2]},
            "limits": lambda n: {"maxPauseMilliseconds": 100 + n % 2},
        }
        made = Program("bpgen", [
            f"{Node.programs}/bpgen", "--from", "ipn:1.1", "--to", "ipn:2.1", "--via",
            f"tcpclv4://127.0.0.1:{first.ports[0]}", "--bundle-rate", "2000", "--json",
            "--acknowledge-timeout", "60", "--duration", "100000", "--bundle-size", "1000"])
        node.becomes_up(2)
        for change in kinds.values():
            for number in range(RELOADS):
                node.changed(**change(number))
                node.becomes_up(2)
        for number in range(RELOADS):
            node.write_plan([{**contact, "endTime": 36000 + 1 + number}])
            self.assertEqual(node.changed(), ["contactPlanFile"])
            node.becomes_up(2)
        made.process.send_signal(signal.SIGINT)
        made.process.wait(90)
        report = made.wait_line(
            made.out, lambda line: json.loads(line) if line.startswith("{") else None, LIMIT_S)
        sent = report["acknowledgedBundles"]
        self.assertGreater(sent, 100, report)
        until(lambda: self.held(node) == 0 and self.held(first) == 0, "bundles still wait", 60)
        far.process.send_signal(signal.SIGINT)
        far.process.wait(LIMIT_S)
        result = far.wait_line(
            far.out, lambda line: json.loads(line) if line.startswith("{") else None, LIMIT_S)
        self.assertEqual(result["lost"], 0, result)
        self.assertGreaterEqual(result["received"], sent, (result, report))
        print(f"\n{len(kinds) + 1} kinds of change, {RELOADS} times each: {sent} bundles sent, "
              f"{result['received']} received, {result['lost']} lost")

    @staticmethod
    def held(node):
        """Bundles in storage and in flight, by the newest counters."""
        counters = latest_json(node.program.out, {})
        while "ingress_in_flight" not in counters:
            counters = json.loads(node.program.wait_line(
                node.program.out, lambda line: line if line.startswith("{") else None, LIMIT_S))
        return counters["ingress_in_flight"] + counters.get("storage_stored_now", 0)


if __name__ == "__main__":
    main(__doc__)
