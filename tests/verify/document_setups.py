# SPDX-License-Identifier: Apache-2.0
"""What is there before a block of documented commands runs: nodes, plans, stores, certificates."""

import datetime
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from document_place import LIMIT_S, PAUSE, ROOT
from program import Program

DTN_EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)


def contact(number, source, dest):
    return {"contact": number, "source": source, "dest": dest,
            "startTime": "2020-01-01T00:00:00Z", "endTime": "2099-01-01T00:00:00Z",
            "rateBitsPerSec": 1_000_000, "owlt": 0}


def node_10():
    """Links 0 and 1 lead in, 2, 3 and 4 out."""
    return {
        "myNodeId": 10,
        "inductsConfig": [{"url": "stcp://127.0.0.1:5500"}, {"url": "tcpclv4://127.0.0.1:5501"}],
        "outductsConfig": [
            {"url": "tcpclv4://127.0.0.1:5502", "nextHopNodeId": 2},
            {"url": "stcp://127.0.0.1:5503", "nextHopNodeId": 30},
            {"url": "stcp://127.0.0.1:5504", "nextHopNodeId": 40}],
        "contactPlanFile": "plan.json", "controlSocket": "farlink.sock",
        "api": {"listen": "127.0.0.1:8080", "tokensFile": "tokens.json"}}


def setup_plan(place):
    """plan.json, next-week.json and node.json."""
    place.write("plan.json", {"contacts": [contact(1, 10, 2), contact(2, 10, 40)]})
    place.write("next-week.json", {"contacts": [contact(1, 10, 2), contact(3, 10, 40)]})
    place.write("node.json", node_10())


def setup_node(place):
    """A running node."""
    setup_plan(place)
    place.write("link.json", {"url": "stcp://127.0.0.1:0"})
    start_node(place)


def setup_application_node(place):
    """A running node with an endpoint at which bundles wait."""
    setup_plan(place)
    place.write("node.json", {**node_10(), "applications": {
        "socket": "applications.sock", "endpoints": [{"endpoint": "ipn:10.42"}],
        "access": [{"user": str(os.getuid()), "register": ["ipn:10.42"]}]}})
    start_node(place)


def start_node(place):
    place.run("farlinkctl tokens make --role read --name other --file tokens.json")
    place.start("farlink --config node.json")
    place.wait_ready()


def setup_neighbour_20(place):
    """A neighbour of the running node that answers pings."""
    place.write("node20.json", {"myNodeId": 20, "inductsConfig": [
        {"url": "tcpclv4://127.0.0.1:5520",
         "neighbours": [{"nodeId": 10, "address": "127.0.0.1"}]}]})
    place.start("farlink --config node20.json")
    place.wait_ready(1)
    place.run("farlinkctl plan add --contact 20 --source 10 --dest 20 --start +0 --end +3600 "
              "--rate 0 --config node.json && farlinkctl link add outduct "
              "'tcpclv4://127.0.0.1:5520?nextHopNodeId=20' --config node.json")


def store_bundles(place, count):
    place.run(f"bpgen --from ipn:10.1 --to ipn:20.1 --via stcp://127.0.0.1:5500 --bundles {count}")


def setup_stored(place):
    """The running node stores bundles that no link leads on."""
    store_bundles(place, 3)
    for _ in range(1000):
        stored = re.findall(r"^(\d+) +waiting", place.run("farlinkctl storage list --config "
                                                          "node.json"), re.MULTILINE)
        if len(stored) == 3:
            place.replaced["4294967297"] = stored[0]  # the number that the guide's bundle has
            return
    raise AssertionError(f"stored: {stored}")


def setup_store(place):
    """The store of a node that is off, with bundles in three files."""
    setup_plan(place)
    for count in (1, 1, 20):
        place.write("tokens.json", [])
        (place.folder / "tokens.json").unlink()
        start_node(place)
        store_bundles(place, count)
        place.stop(place.background.pop())


def setup_relay(place):
    """Node 2, which listens as relay.example.org."""
    place.write("relay.json", {"myNodeId": 2, "inductsConfig": [
        {"url": "tcpclv4://[::]:4556", "neighbours": [{"address": "127.0.0.1"}]}]})
    place.start("farlink --config relay.json")
    place.wait_ready()


def setup_processes(place):
    """node.json of a node whose modules find each other."""
    setup_plan(place)
    config = node_10()
    modules = ("ingress", "egress", "storage", "scheduler", "router", "telemetry", "supervisor")
    config["bus"] = {name: f"ipc://{place.folder}/bus-{name}" for name in modules}
    del config["api"]
    place.write("node.json", config)


def json_blocks(document):
    """The configurations that a document shows."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [json.loads(found) for found in re.findall(r"^```json\n(\{\n.*?)^```", text,
                                                      re.MULTILINE | re.DOTALL)]


def setup_gate(place):
    """The configurations of the two nodes; the second starts once its certificates have come."""
    one, two = json_blocks("docs/guide/tls.md")[:2]
    place.write("node1.json", one)
    place.write("hosts/gate.example/etc/farlink/node2.json", two)
    place.after["scp"] = lambda: place.start(
        "farlink --config hosts/gate.example/etc/farlink/node2.json")


def setup_tls(place):
    """Both nodes run."""
    setup_gate(place)
    place.run("farlinkctl cert make --dir certs --node ipn:1.0 --node ipn:2.0 --node ipn:3.0 && "
              "cp certs/ca.pem certs/ipn-2.* hosts/gate.example/etc/farlink/")
    place.after["scp"]()
    place.start("farlink --config node1.json")
    place.wait_ready()


def setup_relay_machine(place):
    """The machine relay.example.org, where node 2 starts once its certificates have come."""
    place.write("hosts/relay.example.org/relay.json", {
        "myNodeId": 2, "inductsConfig": [
            {"url": "tcpclv4://[::]:4556", "tls": "required", "ca": "certs/ca.pem",
             "cert": "certs/ipn-2.pem", "key": "certs/ipn-2.key"}]})
    place.name_hosts(relay="10.9.0.2")
    place.after["scp"] = lambda: start_elsewhere(
        place, "farlink --config hosts/relay.example.org/relay.json")


def start_elsewhere(place, line):
    """A program with a network of its own, at the other end of a wire from this one."""
    program = Program(line, ["unshare", "--net", "bash", "-c",
                             f"cd {shlex.quote(str(place.folder))}; echo here >&2; read -r; "
                             "ip link set lo up && ip addr add 10.9.0.2/24 dev far && "
                             f"ip link set far up && PATH={place.environment['PATH']} && "
                             f"exec {line}"], stdin=subprocess.PIPE)
    place.background.append(program)
    program.wait_line(program.err, lambda said: said == "here" or None, LIMIT_S)
    place.run(f"ip link add near type veth peer name far netns {program.process.pid} && "
              "ip addr add 10.9.0.1/24 dev near && ip link set near up")
    program.process.stdin.write("\n")
    program.process.stdin.flush()


def setup_tokens(place):
    place.run("farlinkctl tokens make --role read --name other --file tokens.json")


def setup_applications_example(place):
    """The node of the README."""
    place.start("farlink --config config/examples/applications.json")
    place.wait_ready()


def setup_files(place):
    """What is sent as files."""
    (place.folder / "photos").mkdir()
    (place.folder / "photos/one.png").write_bytes(bytes(1000))
    (place.folder / "report.pdf").write_bytes(bytes(5000))


def setup_photo(place):
    (place.folder / "photo.bin").write_bytes(os.urandom(200_000))


def setup_mission_key(place):
    place.run("farlinkctl security keys make config/examples/mission.key mission-1")


def setup_certificates(place):
    """In the folders that the examples name."""
    place.run("farlinkctl cert make --dir certs --node ipn:1.0 --node ipn:2.0 --node ipn:10.0 && "
              "cp certs/* .")


def setup_link_key(place):
    place.run("openssl rand -hex 32 > link.key && chmod 600 link.key")


def setup_bus_keys(place):
    place.run("farlinkctl keys make keys")
    place.replaced["<the line in bus.public>"] = (place.folder / "keys/bus.public").read_text(
        encoding="utf-8").strip()


def setup_alarm_trap(place):
    place.replaced["/usr/local/lib/farlink"] = str(place.folder)
    (place.folder / "alarm-trap").write_text("#!/bin/sh\n", encoding="utf-8")
    (place.folder / "alarm-trap").chmod(0o755)


def setup_hdtn_files(place):
    shutil.copy(ROOT / "tests/imports/hdtn/stcp.json", place.folder / "hdtn.json")
    shutil.copy(ROOT / "tests/imports/hdtn/stcp_plan.json", place.folder / "plan.json")


def setup_faulty(place):
    """A configuration with two errors."""
    place.write("gateway.json", {"myNodeId": 10, "bufferBytes": -1, "inductsConfig": [
        {"url": "tcpclv4://127.0.0.1:0", "maxSession": 5}]})
    place.codes["farlink --check"] = 2


def moment(seconds):
    """So many seconds from now."""
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def pass_of(number, source, dest, begin, end, rate=1_000_000, owlt=0):
    return {"contact": number, "source": source, "dest": dest, "startTime": moment(begin),
            "endTime": moment(end), "rateBitsPerSec": rate, "owlt": owlt}


def setup_neighbour(place, node=20, port=5520):
    """A node with one induct and its address in the configuration of the others."""
    place.write(f"node{node}.json", {"myNodeId": node, "inductsConfig": [
        {"url": f"tcpclv4://127.0.0.1:{port}",
         "neighbours": [{"nodeId": 10, "address": "127.0.0.1"}]}]})
    place.start(f"farlink --config node{node}.json")
    place.wait_ready()


def start_planned(place, contacts, outducts, **more):
    """Node 10 with a plan."""
    place.write("plan.json", {"contacts": contacts})
    place.write("node.json", {
        "myNodeId": 10, "inductsConfig": [{"url": "tcpclv4://0.0.0.0:4556"}],
        "outductsConfig": outducts, "contactPlanFile": "plan.json",
        "controlSocket": "farlink.sock", **more})
    place.start("farlink --config node.json")
    place.wait_ready(len(place.background) - 1)


def wait_for(place, command, pattern):
    """Until the command prints it."""
    for _ in range(300):
        said = place.run(command)
        if re.search(pattern, said):
            return said
        PAUSE.wait(0.1)
    raise AssertionError(f"{command}: no {pattern} in\n{said}")


def setup_two_links(place):
    """Node 10 with a link to a running node 20, and one to node 30 that begins later."""
    setup_neighbour(place)
    start_planned(place, [pass_of(1, 10, 20, -60, 3600, owlt=1.3), pass_of(2, 10, 20, 5400, 9000),
                          pass_of(3, 10, 30, 720, 1500)],
                  [{"url": "tcpclv4://127.0.0.1:5520", "nextHopNodeId": 20},
                   {"url": "tcpclv4://127.0.0.1:5530", "nextHopNodeId": 30}])
    wait_for(place, "farlinkctl status --config node.json", r"\n1 +20 +up")


def setup_ended_plan(place):
    """Bundles wait, and the plan has ended."""
    start_planned(place, [pass_of(1, 10, 20, -60, 3)],
                  [{"url": "tcpclv4://127.0.0.1:5520", "nextHopNodeId": 20}],
                  alarms={"ignore": ["clock-not-synchronised"]})
    place.run("bpgen --from ipn:11.1 --to ipn:20.1 --via tcpclv4://127.0.0.1:4556 --bundles 41")
    wait_for(place, "farlinkctl alarms || true", "plan-ended")
    place.codes["farlinkctl alarms"] = 3


def setup_two_ways(place):
    """Two next hops to node 40: the contact with node 2 is nearly full, that with 3 is later."""
    setup_neighbour(place, 2, 5502)
    start_planned(place, [pass_of(1, 10, 2, -60, 1000, rate=1000), pass_of(2, 10, 3, 1800, 3600),
                          pass_of(3, 2, 40, -60, 7200), pass_of(4, 3, 40, -60, 7200)],
                  [{"url": "tcpclv4://127.0.0.1:5502", "nextHopNodeId": 2},
                   {"url": "tcpclv4://127.0.0.1:5503", "nextHopNodeId": 3}],
                  routing={"policies": [{"service": 11, "assignPriority": "expedited"},
                                        {"sourceNodeId": 7, "paths": [{"nextHopNodeId": 3}]}],
                           "defaultGateway": 2})
    wait_for(place, "farlinkctl status --config node.json", r"\n1 +2 +up")


def setup_next_week(place):
    """A plan in which node 30 can be reached now, and node 40 by it."""
    contacts = [pass_of(1, 10, 20, -60, 3600), pass_of(2, 10, 30, 3600, 7200, owlt=1),
                pass_of(3, 20, 40, 600, 7200), pass_of(5, 40, 20, 9000, 9600),
                pass_of(6, 40, 20, 9900, 9960)]
    after = [contacts[0], {**contacts[1], "startTime": moment(-60)}, contacts[2],
             pass_of(7, 30, 40, 300, 7200), pass_of(8, 40, 20, 60, 120),
             pass_of(9, 40, 20, 150, 200)]
    place.write("next-week.json", {"contacts": after})
    start_planned(place, contacts, [{"url": "tcpclv4://127.0.0.1:5520", "nextHopNodeId": 20},
                                    {"url": "tcpclv4://127.0.0.1:5530", "nextHopNodeId": 30}])


def setup_changed(place):
    """The configuration of the running node has changed."""
    config = json.loads((place.folder / "node.json").read_text(encoding="utf-8"))
    config["logLevel"] = "debug"
    config["outductsConfig"][1]["rateLimitBitsPerSec"] = 5_000_000
    place.write("node.json", config)


def setup_three_nodes(place):
    """Nodes 10, 20 and 30 in a row, that report; node 10 has applications."""
    for node, others in ((10, {20: 5620}), (20, {10: 5510, 30: 5630}), (30, {20: 5520})):
        config = {"myNodeId": node, "statusReports": True,
                  "inductsConfig": [{"url": f"stcp://127.0.0.1:55{node}"}],
                  "outductsConfig": [{"url": f"stcp://127.0.0.1:{port}", "nextHopNodeId": other}
                                     for other, port in others.items()],
                  "storageConfig": {"storeFilePath": f"store-{node}"}}
        if node != 20:
            config["routing"] = {"defaultGateway": 20}
        if node == 10:
            config["applications"] = {"socket": "app.sock"}
        place.write(f"node{node}.json", config)
        place.start(f"farlink --config node{node}.json")
    # So that the order of the times is that of the nodes.
    for node in (20, 30):
        place.start(f"linkemu --delay 20ms tcp --listen 127.0.0.1:56{node} --to 127.0.0.1:55{node}")
    place.wait_ready()


def setup_namespaces(place):
    """Networks a and b, as `ip netns` makes them."""
    place.run("ip netns add a && ip netns add b")


def setup_ion_files(place):
    """One file of a node of ION's."""
    shutil.copy(ROOT / "tests/vectors/ion/two_nodes/ground.rc", place.folder / "node10.rc")


def setup_cfdp_folder(place):
    """What the configuration of an entity names."""
    place.replaced["/var/lib/farlink"] = str(place.folder)
    (place.folder / "cfdp").mkdir()


def setup_stored_for_30(place):
    """Bundles wait for the later contact."""
    place.run("bpgen --from ipn:11.1 --to ipn:30.1 --via tcpclv4://127.0.0.1:4556 --bundles 3")
    wait_for(place, "farlinkctl storage show --config node.json", "3 bundles")


def setup_sent(place):
    """The node has had bundles; the number of one is in the guide."""
    store_bundles(place, 4)
    held = json.loads(place.run("farlinkctl bundle find ipn:10.1 --json"))["held"][0]
    since = datetime.datetime.fromisoformat(held["created"]) - DTN_EPOCH
    place.replaced["ipn:10.1/757000000000/3"] = (
        f"ipn:10.1/{since // datetime.timedelta(milliseconds=1)}/{held['sequence']}")


def setup_joining_node(place):
    """A node that joins the fragments of bundles for node 20."""
    place.write("plan.json", {"contacts": [contact(1, 10, 2)]})
    place.write("node.json", {**node_10(), "routing": {"reassembleInTransit": ["ipn:20.*"]}})
    start_node(place)


def setup_fragments(place):
    """Of two bundles; one fragment is missing."""
    place.run("bpgen --from ipn:10.1 --to ipn:20.1 --via stcp://127.0.0.1:5500 --bundles 2 "
              "--bundle-size 3000 --fragment-bytes 1000")
    said = wait_for(place, "farlinkctl storage list --config node.json", r"(?s)(fragment.*){6}")
    number = re.findall(r"^(\d+) +fragment", said, re.MULTILINE)[1]
    place.run(f"farlinkctl storage delete {number} --config node.json")


def setup_cfdp(place, rate=4_000_000):
    """Nodes 10 and 20 with applications, entity 20, and the configuration of entity 10."""
    pathlib.Path("/run/farlink").mkdir(exist_ok=True)
    place.replaced |= {"/var/lib/farlink": str(place.folder), "10/5": "10/2"}
    sockets = {10: "/run/farlink/applications.sock", 20: str(place.folder / "node20.sock")}
    for node, socket in sockets.items():
        place.write(f"node{node}.json", {
            "myNodeId": node, "inductsConfig": [{"url": f"stcp://127.0.0.1:55{node}"}],
            "outductsConfig": [{"url": f"stcp://127.0.0.1:55{30 - node}",
                                "nextHopNodeId": 30 - node, "rateLimitBitsPerSec": rate}],
            "storageConfig": {"storeFilePath": f"store-{node}"},
            "applications": {"socket": socket, "endpoints": [{"endpoint": "64"}], "access": [
                {"user": str(os.getuid()), "register": [f"ipn:{node}.64"]}]}})
        place.start(f"farlink --config node{node}.json")
    place.wait_ready()
    place.write("cfdp20.json", {
        "entityId": 20, "root": "root20", "controlSocket": "cfdp20.sock", "node": "node20.sock",
        "remotes": [{"entityId": 10, "segmentBytes": 60_000, "may": [
            "replace", "delete", "createFolder", "get", "list", "report", "suspend"]}]})
    entity = json_blocks("docs/guide/cfdp.md")[1]
    place.write("etc/farlink/cfdp.json", {**entity, "root": str(place.folder / "cfdp")})
    (place.folder / "cfdp").mkdir()
    (place.folder / "image.tif").write_bytes(os.urandom(300_000))
    place.start("farlink-cfdpd --config cfdp20.json")
    place.wait_ready()


def setup_entity_10(place):
    """It runs, and has sent files; the last one is not complete."""
    setup_cfdp(place, rate=0)
    place.start("farlink-cfdpd --config etc/farlink/cfdp.json")
    place.wait_ready()
    (place.folder / "cfdp/day-7.tif").write_bytes(os.urandom(300_000))
    with open(place.folder / "cfdp/large.tif", "wb") as large:
        large.truncate(400_000_000)
    place.run("cp image.tif cfdp && farlink-cfdp put image.tif 20 day-7/image.tif --wait && "
              "farlink-cfdp put image.tif 20 --wait && farlink-cfdp put large.tif 20 && "
              "farlink-cfdp suspend 10/3")
    place.replaced["10/5"] = "10/3"
    wait_for(place, "farlink-cfdp --socket cfdp20.sock ls", "10/3")
