# SPDX-License-Identifier: Apache-2.0
"""One run of a case: a generator, one hop in the middle and a sink, and their reports."""

import json
import os
import shutil
import subprocess
import time

import security
from applications import run_applications, run_posts, run_python, run_tunnel
from cases import CASES, SMALL_WINDOW
from far import IDLE_S, run_far, run_far_tcp
from files import run_cfdp, run_files
from fragments import run_sets
from plans import run_plan
from programs import END_LIMIT_S, Program, ProgramGroup, RunFailed
from spool import run_spool
from stores import (MOST_STORED_BYTES, disk_bytes, disk_rate, drop_page_cache, reserved_port,
                    storage_config)

START_LIMIT_S = 20  # until a program reports that it is ready, and the router has connected
DRAIN_LIMIT_S = 60  # until the last bundle of the generator has arrived
PING_INTERVAL_S = 0.001
# With longer pauses the processors sleep, and their wake-up time is measured as well.
PING_RARE_INTERVAL_S = 0.02
RESTART_STORE_LIMIT_S = 300
CUSTODY_PERIOD_S = 0.1  # how long an aggregate custody signal waits for more bundles
SESSIONS = 1000
SESSIONS_DURATION_S = 10  # fixed by the case; --duration does not apply


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

    def tls_files(self):
        """Certificates of a test authority for the node and for the tools, made once."""
        folder = os.path.join(self.folder, "certs")
        if not os.path.isdir(folder):
            make = Program(self.program("farlinkctl"), "cert", "make", "--dir", folder,
                           *(word for node in ("ipn:10.0", "ipn:1.0", "ipn:2.0")
                             for word in ("--node", node)), "--ip", "127.0.0.1")
            make.expect_success(END_LIMIT_S)
        return folder

    @staticmethod
    def scheme(case, node, way="out"):
        """The convergence layer of this leg: from the generator to the router it may differ."""
        first = (node, way) in ((1, "out"), (10, "in"), (99, "out"))
        return (first and case.first_scheme) or case.scheme

    def link(self, case, node, way="out"):
        """The keys of a link of this case, at the node with this number.

        Only the first sender of the case's layer is limited: the router adds some octets to each
        bundle, so with an equal limit its queue would grow without bound.
        """
        if self.scheme(case, node, way) != case.scheme:
            return {}
        limited = node == 10 if case.first_scheme else node == 1
        keys = {key: value for key, value in case.link.items()
                if (way == "out" and limited) or key != "rateLimitBitsPerSec"}
        if "tls" in keys:
            folder = self.tls_files()
            keys["ca"] = os.path.join(folder, "ca.pem")
            keys["cert"] = os.path.join(folder, f"ipn-{node}.pem")
            keys["key"] = os.path.join(folder, f"ipn-{node}.key")
        return keys

    def url(self, case, port, node, way="out"):
        """The URL of a tool's link; its options are the keys of a link."""
        options = "&".join(f"{key}={str(value).lower() if value in (True, False) else value}"
                           for key, value in self.link(case, node, way).items())
        scheme = self.scheme(case, node, way)
        return f"{scheme}://127.0.0.1:{port}" + (f"?{options}" if options else "")

    def start_direct(self, _case, sink_port):
        return None, sink_port

    def start_relay(self, _case, sink_port):
        relay = Program(self.program("relay"), 0, sink_port)
        return relay, relay.line("out", int, START_LIMIT_S)

    def run_folder(self):
        self.runs += 1
        folder = os.path.join(self.folder, str(self.runs))
        os.mkdir(folder)
        return folder

    def start_router(self, case, sink_port=None, folder=None):
        folder = folder or self.run_folder()
        config = {
            "myNodeId": 10,
            "inductsConfig": [{"url": f"{self.scheme(case, 10, 'in')}://127.0.0.1:0",
                               **self.link(case, 10, "in")}],
            "outductsConfig": [],
            "storageConfig": storage_config(folder, case),
            **case.router,
        }
        if case.rules:
            config["security"] = security.section(self, case.rules)
        if case.kind == "ping":  # replies return by the connection that bping has opened
            config["inductsConfig"][0]["neighbours"] = [{"nodeId": 99, "address": "127.0.0.1"}]
        if case.kind == "custody":  # signals return by the connection of the generator
            config["inductsConfig"][0]["neighbours"] = [{"nodeId": 1, "address": "127.0.0.1"}]
            config["acsSendPeriodMilliseconds"] = int(CUSTODY_PERIOD_S * 1000)
        if case.kind == "sessions":
            config["inductsConfig"][0]["maxSessions"] = 2 * SESSIONS
        if sink_port:
            config["outductsConfig"].append({"url": f"{case.scheme}://127.0.0.1:{sink_port}",
                                             "nextHopNodeId": 2, "reconnectMaxMilliseconds": 100,
                                             **self.link(case, 10)})
        if case.processes:
            config["bus"] = {module: f"ipc://{folder}/{module}"
                             for module in (*case.processes, "supervisor")}
        path = os.path.join(folder, "node.json")
        with open(path, "w", encoding="ascii") as file:
            json.dump(config, file)
        start = (self.program("farlink"), "--counters", "--config", path)
        router = Program(*start) if not case.processes else ProgramGroup(
            [Program(*start, "--modules", modules) for modules in case.processes])

        def port_of(line):
            ports = json.loads(line).get("ports")
            return ports[0] if ports else None

        return router, router.line("out", port_of, START_LIMIT_S)

    def start_sink(self, case, port=0):
        custody = ("--custody", "--custody-period", CUSTODY_PERIOD_S)
        sink = Program(self.program("bpsink"), "--eid", "ipn:2.1", "--listen",
                       self.url(case, port, 2, "in"), "--until-complete", "--idle-exit",
                       IDLE_S if case.emulation else 5, "--json",
                       *security.key_options(self, case.open),
                       *(custody if case.kind == "custody" else ()),
                       *(("--progress",) if case.emulation else ()))
        return sink, sink.line("err", port_in_greeting, START_LIMIT_S)

    @staticmethod
    def wait_for_link(case, sink):
        """Waits until the router's link is up; UDP has no connection to wait for."""
        if case.scheme not in ("udp", "ltp"):
            sink.line("err", lambda line: line if line.startswith("connection") else None,
                      START_LIMIT_S)

    def run(self, case, hop):
        """One run; the sink's report, and the processor time of the hop."""
        if hop == "reference":
            return self.run_reference(CASES[case.reference])
        if hop == "network":
            # One hop, by the same tools and links, without a wait for a next hop.
            return self.run_flow(case, "direct")
        if hop != "router" or case.kind == "flow":
            return self.run_flow(case, hop)
        if case.kind in ("far", "far-tcp"):
            return (run_far if case.kind == "far" else run_far_tcp)(self, case)
        kinds = {"ping": self.run_ping, "sessions": self.run_sessions, "store": self.run_store,
                 "release": self.run_store, "restart": self.run_restart,
                 "custody": self.run_custody,
                 "sets": lambda case: run_sets(self, case, counters_of),
                 "plan": lambda case: run_plan(self),
                 "spool": lambda case: run_spool(self, case),
                 "held": lambda case: run_spool(self, case),
                 "flood": lambda case: security.run_flood(self, case),
                 "rotation": lambda case: security.run_rotation(self, case),
                 "http-post": lambda case: run_posts(self, case),
                 "sendfile": lambda case: run_files(self, case),
                 "cfdp": lambda case: run_cfdp(self, case),
                 "app": lambda case: run_applications(self, case),
                 "app-rtt": lambda case: run_applications(self, case),
                 "app-python": lambda case: run_python(self, case),
                 "app-python-one": lambda case: run_python(self, case),
                 "checksums": self.run_checksums,
                 "tunnel": lambda case: run_tunnel(self, case, reserved_port())}
        return kinds[case.kind](case)

    def run_checksums(self, _case):
        """Octets per second of each checksum, by a program of its own."""
        done = subprocess.run([self.program("checksums")], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise RunFailed(f"checksums: {done.returncode}")
        rates = json.loads(done.stdout)
        return {"ok": True, **{f"{name}_bytes_per_second": rate for name, rate in rates.items()}}

    def run_reference(self, case):
        result = self.run(case, "router")
        if case.kind == "store":
            result["bundles_per_second"] = result["bundles"] / result["seconds"]
            result["goodput_bps"] = result["bundles_per_second"] * case.payload_bytes * 8
        return result

    def start_generator(self, case, port):
        if case.peer:
            return Program(self.program("small_window"), self.scheme(case, 1, "out"), port,
                           self.duration_s, SMALL_WINDOW, case.payload_bytes, case.peer)
        return Program(self.program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1",
                       "--via", self.url(case, port, 1), "--bundle-size", case.payload_bytes,
                       "--duration", self.duration_s, "--json", *case.generator_options,
                       *security.key_options(self, case.seal))

    def run_flow(self, case, hop):
        sink = middle = generator = None
        try:
            sink, sink_port = self.start_sink(case)
            middle, port = getattr(self, f"start_{hop}")(case, sink_port)
            if hop == "router":
                self.wait_for_link(case, sink)
            busy_before_s = middle.busy_s() if middle else 0
            generator = self.start_generator(case, port)
            generator.expect_success(self.duration_s + DRAIN_LIMIT_S)
            sink.wait(DRAIN_LIMIT_S)  # the report contains any fault
            result = sink.line("out", json.loads, START_LIMIT_S)
            if case.peer:
                result["stalls"] = generator.line("out", json.loads, START_LIMIT_S)["stalls"]
            result["hop_cpu_s"] = middle.busy_s() - busy_before_s if middle else 0
            result["hop_rss_mb"] = middle.peak_rss_mb() if middle else 0
            result["generator_cpu_s"] = generator.cpu_s
            result["sink_cpu_s"] = sink.cpu_s
            if hop == "router" and middle.stop() != 0:
                raise middle.failure(f"exit code {middle.process.returncode}")
            if result["received"] == 0:
                raise sink.failure("nothing arrived")
            if hop == "router" and case.peer:
                stored = middle.last_line("out", counters_of).get("storage_stored_total", 0)
                result["stored_share"] = stored / result["received"]
            return result
        finally:
            for program in (generator, middle, sink):
                if program:
                    program.kill()

    def run_ping(self, case):
        """Round trips to the node's own echo service, without other traffic."""
        router = None
        try:
            router, port = self.start_router(case)
            result = self.ping(case, port, PING_INTERVAL_S)
            result["rare"] = self.ping(case, port, PING_RARE_INTERVAL_S)
            result["ok"] = result["lost"] == 0 and result["rare"]["lost"] == 0
            return result
        finally:
            if router:
                router.kill()

    def ping(self, case, port, interval_s):
        """The summary of one run of bping, half as long as other runs."""
        ping = Program(self.program("bping"), "--to", "ipn:10.2047", "--via",
                       self.url(case, port, 99), "--bundle-size", case.payload_bytes, "--interval",
                       interval_s, "--count", int(self.duration_s / 2 / interval_s) + 1,
                       "--timeout", 5, "--json")
        try:
            ping.wait(self.duration_s + DRAIN_LIMIT_S)

            def summary_of(line):
                found = json.loads(line)
                return found if found["type"] == "summary" else None

            result = ping.line("out", summary_of, START_LIMIT_S)
            if result["received"] == 0:
                raise ping.failure("no reply came")
            return result
        finally:
            ping.kill()

    def run_sessions(self, case):
        """Many neighbours at once, each with one bundle per second for ten seconds."""
        sink = router = load = None
        try:
            sink, sink_port = self.start_sink(case)
            router, port = self.start_router(case, sink_port)
            self.wait_for_link(case, sink)
            load = Program(self.program("sessions"), self.url(case, port, 1), SESSIONS,
                           SESSIONS_DURATION_S)
            load.wait(SESSIONS_DURATION_S + DRAIN_LIMIT_S)
            result = load.line("out", json.loads, START_LIMIT_S)
            sink.wait(DRAIN_LIMIT_S)
            received = sink.line("out", json.loads, START_LIMIT_S)
            result["lost"] = SESSIONS * SESSIONS_DURATION_S - received["received"]
            result["hop_rss_mb"] = router.peak_rss_mb()
            result["ok"] = (received["ok"] and result["sessions"] == SESSIONS
                            and result["starved"] == 0)
            return result
        finally:
            for program in (load, router, sink):
                if program:
                    program.kill()


    def run_custody(self, case):
        """A custodian on either side of the router, which accepts custody only after the flush."""
        folder = self.run_folder()
        sink = router = generator = None
        try:
            sink, sink_port = self.start_sink(case)
            router, port = self.start_router(case, sink_port, folder)
            self.wait_for_link(case, sink)
            busy_before_s = router.busy_s()
            generator = Program(self.program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1",
                                "--via", self.url(case, port, 1), "--bundle-size",
                                case.payload_bytes, "--duration", self.duration_s, "--json",
                                *case.generator_options)
            generator.expect_success(self.duration_s + DRAIN_LIMIT_S)
            sent = generator.line("out", json.loads, START_LIMIT_S)
            sink.wait(DRAIN_LIMIT_S)
            result = sink.line("out", json.loads, START_LIMIT_S)
            if result["received"] == 0:
                raise sink.failure("nothing arrived")
            counters = router.line("out", without_custody, START_LIMIT_S)
            released = counters.get("storage_custody_released", 0)
            result["hop_cpu_s"] = router.busy_s() - busy_before_s
            result["hop_rss_mb"] = router.peak_rss_mb()
            # Until the sink has every bundle, and the router has accepted custody of each.
            result["seconds"] = max(result["seconds"], sent["custody"]["seconds"])
            result["bundles"] = sent["custody"]["accepted"]
            result["lost"] += sent["bundles"] - sent["custody"]["accepted"]
            result["ok"] &= result["lost"] == 0 and released == sent["bundles"]
            if router.stop() != 0:
                raise router.failure(f"exit code {router.process.returncode}")
            return result
        finally:
            for program in (generator, router, sink):
                if program:
                    program.kill()
            shutil.rmtree(folder)

    def run_store(self, case):
        """Bundles are stored while no sink listens; in a release case the sink starts later."""
        folder = self.run_folder()
        direction = "write" if case.kind == "store" else "read"
        rates = [disk_rate(folder, direction)]
        sink = router = generator = None
        try:
            sink_port = reserved_port()
            router, port = self.start_router(case, sink_port, folder)
            busy_before_s = router.busy_s()
            generator = Program(self.program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1",
                                "--via", self.url(case, port, 1), "--bundle-size",
                                case.payload_bytes, "--duration", self.duration_s, "--bundles",
                                MOST_STORED_BYTES // (case.payload_bytes + 300), "--json")
            generator.expect_success(self.duration_s + DRAIN_LIMIT_S)
            sent = generator.line("out", json.loads, START_LIMIT_S)
            stored = sent["acknowledged_bundles"]  # a node acknowledges what it has flushed
            result = {"bundles": stored, "seconds": sent["seconds"],
                      "lost": sent["bundles"] - stored}
            if case.kind == "release":
                busy_before_s = router.busy_s()
                sink, _ = self.start_sink(case, sink_port)
                sink.wait(DRAIN_LIMIT_S)
                came = sink.line("out", json.loads, START_LIMIT_S)
                if came["received"] == 0:
                    raise sink.failure("nothing arrived")
                result = {"bundles": came["received"], "lost": came["lost"],
                          "seconds": came["received"] / came["bundles_per_second"]}
            result["payload_bytes"] = case.payload_bytes
            result["hop_cpu_s"] = router.busy_s() - busy_before_s
            result["hop_rss_mb"] = router.peak_rss_mb()
            router.kill()
            # Other programs may use the disk: measured before and after the run.
            rates.append(disk_rate(folder, direction))
            result["disk_bytes_per_second"] = sum(rates) / len(rates)
            result["disk_drift"] = max(rates) / min(rates)
            result["ok"] = result["lost"] == 0
            if result["bundles"] == 0:
                raise RunFailed(f"{case.name}: no bundle was stored")
            return result
        finally:
            for program in (generator, router, sink):
                if program:
                    program.kill()
            shutil.rmtree(folder)

    def run_restart(self, case):
        """Many bundles are stored, the node restarts: the time until the first one is delivered."""
        folder = self.run_folder()
        sink = router = generator = None
        try:
            sink_port = reserved_port()
            router, port = self.start_router(case, sink_port, folder)
            generator = Program(self.program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1",
                                "--via", self.url(case, port, 1), "--bundle-size",
                                case.payload_bytes, "--json", *case.generator_options)
            generator.expect_success(RESTART_STORE_LIMIT_S)
            sent = generator.line("out", json.loads, START_LIMIT_S)
            stored = sent["acknowledged_bundles"]
            result = {"bundles": stored, "seconds": sent["seconds"],
                      "stored_rss_mb": router.peak_rss_mb()}
            began = time.monotonic()
            if router.stop() != 0:
                raise router.failure(f"exit code {router.process.returncode}")
            result["stop_s"] = time.monotonic() - began
            result["disk_bytes_per_bundle"] = disk_bytes(folder) / stored
            drop_page_cache(folder)
            sink = Program(self.program("bpsink"), "--eid", "ipn:2.1", "--listen",
                           self.url(case, sink_port, 2, "in"), "--bundles", 1)
            sink.line("err", port_in_greeting, START_LIMIT_S)
            began = time.monotonic()
            router, _ = self.start_router(case, sink_port, folder)
            result["ready_s"] = time.monotonic() - began
            sink.wait(DRAIN_LIMIT_S)
            result["first_bundle_s"] = time.monotonic() - began
            restored = router.line("out", lambda line: json.loads(line).get("storage_restored"),
                                   START_LIMIT_S)
            result["lost"] = sent["bundles"] - restored
            result["hop_rss_mb"] = router.peak_rss_mb()
            result["ok"] = result["lost"] == 0
            return result
        finally:
            for program in (generator, router, sink):
                if program:
                    program.kill()
            shutil.rmtree(folder)


def without_custody(line):
    """The router's counters, after it has accepted and released custody of all bundles."""
    counters = json.loads(line)
    released = counters.get("storage_custody_released", 0)
    return counters if released and not counters.get("storage_custody_held") else None


def counters_of(line):
    """The counters that the router prints; None for its other lines."""
    counters = json.loads(line)
    return counters if "ingress_received" in counters else None


def port_in_greeting(line):
    return int(line.rsplit(":", 1)[1]) if line.startswith("listening on") else None
