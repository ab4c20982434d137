# SPDX-License-Identifier: Apache-2.0
"""The cases of bench/run.py: bundles, convergence layers, and targets."""

import collections
import os

import security

Case = collections.namedtuple(
    "Case", "name payload_bytes scheme generator_options reference link targets kind disks "
            "first_scheme emulation router processes peer rules seal open",
    defaults=("stcp", (), None, {}, (), "flow", 2, None, (), {}, (), None, (), {}, {}))
# A figure of a case that must be at least (">=") or at most ("<=") a value.
Target = collections.namedtuple("Target", "figure relation value")

# 4 Gbit/s of bundles, and buffers for the bursts that two busy cores cause.
UDP_LINK = {"rateLimitBitsPerSec": 4_000_000_000, "socketBufferBytes": 64 * 1024 * 1024}

# The window of the generator, which waits for the disks: two group commits.
STORE_LINK = {"maxSumOfBundleBytesInPipeline": 32 * 1024 * 1024}

# Fills a round trip of 4 s at 3 Gbit/s, on both sides; the router limits the rate.
FAR_LINK = {"oneWayLightTimeMs": 2000, "oneWayMarginTimeMs": 1000,
            "maxSumOfBundleBytesInPipeline": 2_500_000_000,
            "maxNumberOfBundlesInPipeline": 1_000_000, "bundlePipelineLimit": 1_000_000,
            "maxUnsettledBytes": 2_500_000_000,
            "ltpMaxExpectedSimultaneousSessions": 1_000_000,
            "socketBufferBytes": 64 * 1024 * 1024}
LOSS_LINK = FAR_LINK | {"oneWayLightTimeMs": 300, "oneWayMarginTimeMs": 200}
FAR_ROUTER = {"bufferBytes": 3_000_000_000}
FAR = ("--delay", "2s", "--memory", "2G")
LOSSY = ("--delay", "300ms", "--loss")
# TCP sends as fast as it can: the link limits the rate, with a queue of a round trip.
LOSSY_TCP = ("--rate", "500M", "--queue", "40M", *LOSSY)


def far(name, payload_bytes, rate_bps, share, emulation=FAR, link=None, offered=1.05, room=1.0):
    """LTP over an emulated link with light time, behind STCP: a share of the rate, no losses.

    The generator sends slightly more than the link carries, or exactly as much where it has room.
    """
    limit = {"rateLimitBitsPerSec": int(rate_bps * room)}
    offer = ("--bundle-rate", offered * rate_bps / payload_bytes / 8)
    return Case(name, payload_bytes, "ltp", offer, link=(link or FAR_LINK) | limit, kind="far",
                targets=(Target("steady_goodput_bps", ">=", share * rate_bps),
                         Target("lost", "<=", 0)),
                first_scheme="stcp", emulation=emulation, router=FAR_ROUTER)


def lossy(percent, loss, share):
    """LTP, and TCP beside it, over 600 ms there and back at 500 Mbit/s with loss."""
    return (far(f"ltp-loss-{percent}pct", 100_000, 500_000_000, share, (*LOSSY, loss), LOSS_LINK),
            Case(f"tcp-loss-{percent}pct", 10_000, "stcp", kind="far-tcp",
                 emulation=(*LOSSY_TCP, loss)))


def stcp(name, payload_bytes, ratio, **more):
    """The router's STCP beside the bare relay."""
    return Case(name, payload_bytes, targets=(Target("ratio_to_relay", ">=", ratio),), **more)


# Of CFDP files, with a kernel each.
CHECKSUMS = ("modular", "proximity1", "crc32c", "crc32")

# The processors of the busiest threads.
PINNED = {"threads": {"processors": {"ingress": 0, "egress": 1}}}

# For a peer with few transfers in flight (bench/small_window): the rate of another router beside a
# peer with Nagle's algorithm that writes the head of a message and the rest separately.
SMALL_WINDOW = 5
NAGLE_TARGETS = (Target("bundles_per_second", ">=", 20_000), Target("stalls", "<=", 0),
                 Target("stored_share", "<=", 0.01))

# A node with one process for each module.
EACH_MODULE = ("scheduler", "ingress", "egress", "storage", "router", "telemetry")

# A node with a socket for applications, in the folder of its configuration.
APPLICATIONS = {"applications": {"socket": "app.sock"}}
# The same with an API, whose tokens are in the same folder.
HTTP = {**APPLICATIONS, "api": {"listen": "127.0.0.1:0", "tokensFile": "tokens.json"}}

# A good link whose rate leaves time to a processor, beside a flood.
GOOD_RATE = 50_000

CASES = {case.name: case for case in (
    stcp("stcp-100B", 100, 0.40),
    stcp("stcp-1kB", 1_000, 0.55),
    stcp("stcp-10kB", 10_000, 0.80),
    stcp("stcp-100kB", 100_000, 0.75),
    stcp("stcp-1MB", 1_000_000, 0.75),
    stcp("stcp-v6-100B", 100, 0.40, generator_options=("--bp-version", "6")),
    Case("tcpclv4-100B", 100, "tcpclv4", reference="stcp-100B",
         targets=(Target("bundles_per_second", ">=", 1_500_000),)),
    Case("tcpclv4-100kB", 100_000, "tcpclv4", reference="stcp-100kB",
         targets=(Target("ratio_to_reference", ">=", 0.85),)),
    Case("tcpclv4-1MB", 1_000_000, "tcpclv4", reference="stcp-1MB",
         targets=(Target("ratio_to_reference", ">=", 0.85),)),
    Case("out-64kB", 64_000, "tcpclv4", reference="stcp-100kB", first_scheme="stcp",
         targets=(Target("ratio_to_reference", ">=", 0.75),)),
    Case("frag-out-64kB", 1_000_000, "tcpclv4", ("--may-fragment",), "out-64kB",
         first_scheme="stcp", router={"fragmentBundlesLargerThanBytes": 64_000},
         targets=(Target("ratio_to_reference", ">=", 0.85),)),
    Case("store-64kB", 64_000, "tcpclv4", kind="store", disks=1, link=STORE_LINK,
         targets=(Target("lost", "<=", 0),)),
    Case("reassemble-1MB", 1_000_000, "tcpclv4", ("--fragment-bytes", "64000"), "store-64kB",
         link=STORE_LINK, router={"routing": {"reassembleInTransit": ["ipn:2.*"]}},
         targets=(Target("ratio_to_reference", ">=", 0.60), Target("lost", "<=", 0))),
    Case("held-1MB", 1_000_000, "tcpclv4", kind="held", link=STORE_LINK,
         targets=(Target("lost", "<=", 0),)),
    *(Case(f"spool-{size}GB", size * 1_000_000_000, "tcpclv4", reference="held-1MB", kind="spool",
           link=STORE_LINK, router={"storageConfig": {"totalStorageCapacityBytes": 64 << 30}},
           targets=(Target("ratio_to_reference", ">=", 0.80),
                    Target("router_rss_mb", "<=", 200), Target("lost", "<=", 0)))
      for size in (2, 20)),
    Case("fragment-sets-100k", 100, kind="sets",
         router={"routing": {"reassembleInTransit": ["ipn:3.*"]},
                 "storageConfig": {"reassembly": {"setsPerSource": 1_000_000}}},
         targets=(Target("bytes_per_set", "<=", 300),
                  Target("ratio_to_without", ">=", 0.95))),
    Case("plan-100k", 0, kind="plan",
         targets=(Target("check_s", "<=", 1), Target("load_s", "<=", 1),
                  Target("router_rss_mb", "<=", 100))),
    Case("tcpclv4-tls-100kB", 100_000, "tcpclv4", reference="tcpclv4-100kB",
         link={"tls": "required"},
         targets=(Target("ratio_to_reference", ">=", 0.50),
                  Target("router_cpu_s_per_GB", "<=", 1.3))),
    Case("bib-100B", 100, "tcpclv4", reference="tcpclv4-100B",
         rules=security.VERIFIER, seal={"--sign": "sign-1"},
         targets=(Target("bundles_per_second", ">=", 1_000_000),)),
    Case("bib-100kB", 100_000, "tcpclv4", reference="tcpclv4-100kB",
         rules=security.VERIFIER, seal={"--sign": "sign-1"},
         targets=(Target("ratio_to_reference", ">=", 0.50),
                  Target("router_cpu_s_per_GB", "<=", 1.3))),
    Case("bcb-100kB", 100_000, "tcpclv4", reference="tcpclv4-100kB",
         rules=security.DECRYPTS, seal={"--encrypt": "seal-1"},
         targets=(Target("ratio_to_reference", ">=", 0.60),)),
    Case("rules-1000-100B", 100, "tcpclv4", reference="tcpclv4-100B", rules=security.NO_MATCH,
         targets=(Target("ratio_to_reference", ">=", 0.97),)),
    Case("bib-flood", 100, generator_options=("--bundle-rate", GOOD_RATE), kind="flood",
         rules=security.VERIFIER, seal={"--sign": "sign-1"},
         targets=(Target("ratio_to_without", ">=", 0.95),)),
    Case("key-rotation", 100, "tcpclv4", kind="rotation", rules=security.SIGNS,
         router={"controlSocket": "control"}, open={"--verify": ""},
         targets=(Target("lost", "<=", 0), Target("unverified", "<=", 0))),
    Case("tcpclv3-bpv6-100kB", 100_000, "tcpclv3", ("--bp-version", "6"), "stcp-100kB",
         targets=(Target("ratio_to_reference", ">=", 0.85),)),
    Case("ipc-stcp-100B", 100, reference="stcp-100B", processes=EACH_MODULE,
         targets=(Target("bundles_per_second", ">=", 1_500_000),)),
    Case("ipc-stcp-100kB", 100_000, reference="stcp-100kB", processes=EACH_MODULE,
         targets=(Target("ratio_to_reference", ">=", 0.70),)),
    Case("pinned-stcp-100B", 100, reference="stcp-100B", router=PINNED,
         targets=(Target("ratio_to_reference", ">=", 0.50),)),
    Case("pinned-stcp-100kB", 100_000, reference="stcp-100kB", router=PINNED,
         targets=(Target("ratio_to_reference", ">=", 0.50),)),
    Case("udp-1kB", 1_000, "udp", reference="stcp-1kB", link=UDP_LINK,
         targets=(Target("bundles_per_second", ">=", 450_000), Target("lost", "<=", 0))),
    Case("bping-tcpclv4", 64, "tcpclv4", kind="ping",
         targets=(Target("round_trip_p50_us", "<=", 150), Target("lost", "<=", 0))),
    *(Case(f"window-5-{layer}-100B", 100, layer, peer="whole", targets=NAGLE_TARGETS[:1])
      for layer in ("tcpclv4", "tcpclv3")),
    *(Case(f"window-5-out-{layer}-100B", 100, layer, reference="window-5-tcpclv4-100B",
           first_scheme="tcpclv4", peer="whole", targets=NAGLE_TARGETS[:1])
      for layer in ("stcp", "mtcp")),
    *(Case(f"nagle-{layer}-100B", 100, layer, reference=f"window-5-{layer}-100B", peer="pieces",
           targets=NAGLE_TARGETS) for layer in ("tcpclv4", "tcpclv3")),
    Case("sessions-1000", 100, "tcpclv4", kind="sessions",
         targets=(Target("router_rss_mb", "<=", 200), Target("starved", "<=", 0),
                  Target("lost", "<=", 0))),
    Case("ltp-out-100kB", 100_000, "ltp", reference="stcp-100kB", first_scheme="stcp",
         targets=(Target("goodput_bps", ">=", 8_000_000_000),
                  Target("router_cpu_s_per_GB", "<=", 0.8))),
    Case("ltp-out-plain-100kB", 100_000, "ltp", reference="stcp-100kB", first_scheme="stcp",
         link={"segmentationOffload": False},
         targets=(Target("goodput_bps", ">=", 2_500_000_000),)),
    Case("ltp-out-mtu60000-100kB", 100_000, "ltp", reference="stcp-100kB", first_scheme="stcp",
         link={"ltpDataSegmentMtu": 60_000},
         targets=(Target("ratio_to_reference", ">=", 0.60),)),
    Case("ltp-both-100kB", 100_000, "ltp", reference="stcp-100kB",
         targets=(Target("goodput_bps", ">=", 5_000_000_000),)),
    *(far(f"ltp-4s-{size}kB", size * 1000, 1_000_000_000, 0.95) for size in (100, 10, 5)),
    *(far(f"ltp-4s-paced-{size}kB", size * 1000, 1_000_000_000, 0.995, offered=1, room=1.1)
      for size in (100, 10, 5)),
    far("ltp-4s-3G-100kB", 100_000, 3_000_000_000, 0.95),
    *lossy("0.1", "0.001", 0.97),
    *lossy("1", "0.01", 0.95),
    *lossy("5", "0.05", 0.88),
    Case("store-1kB", 1_000, "tcpclv4", kind="store",
         targets=(Target("bundles_per_second", ">=", 500_000), Target("lost", "<=", 0))),
    Case("store-100kB", 100_000, "tcpclv4", kind="store", link=STORE_LINK,
         targets=(Target("ratio_to_limit", ">=", 0.85), Target("lost", "<=", 0))),
    Case("release-1kB", 1_000, "tcpclv4", kind="release",
         targets=(Target("bundles_per_second", ">=", 500_000), Target("lost", "<=", 0))),
    Case("release-100kB", 100_000, "tcpclv4", kind="release",
         targets=(Target("ratio_to_limit", ">=", 0.85), Target("lost", "<=", 0))),
    Case("restart-10M", 100, "tcpclv4", ("--bundles", "10000000"), kind="restart",
         targets=(Target("first_bundle_s", "<=", 10), Target("lost", "<=", 0))),
    Case("app-1kB", 1_000, kind="app", router=APPLICATIONS,
         targets=(Target("bundles_per_second", ">=", 500_000), Target("lost", "<=", 0))),
    Case("app-100kB", 100_000, kind="app", router=APPLICATIONS,
         targets=(Target("goodput_bps", ">=", 10_000_000_000), Target("lost", "<=", 0))),
    Case("aap2-rtt", 1_000, kind="app-rtt", router=APPLICATIONS,
         targets=(Target("round_trip_p50_us", "<=", 150), Target("lost", "<=", 0))),
    Case("app-python-1kB", 1_000, kind="app-python", router=APPLICATIONS,
         targets=(Target("bundles_per_second", ">=", 50_000), Target("lost", "<=", 0))),
    Case("app-python-one-1kB", 1_000, kind="app-python-one", router=APPLICATIONS,
         targets=(Target("bundles_per_second", ">=", 10_000), Target("lost", "<=", 0))),
    Case("http-post-1kB", 1_000, kind="http-post", router=HTTP,
         targets=(Target("bundles_per_second", ">=", 20_000), Target("lost", "<=", 0))),
    *(Case(f"sendfile-{size}GB", size * 1_000_000_000, "tcpclv4",
           generator_options=("--piece-bytes", "1M"), reference="tcpclv4-1MB", kind="sendfile",
           router=APPLICATIONS,
           targets=(Target("ratio_to_reference", ">=", 0.70), Target("lost", "<=", 0)))
      for size in (10, 1)),
    Case("sendfile-1kB", 1_000, "tcpclv4", kind="sendfile", router=APPLICATIONS,
         targets=(Target("bundles_per_second", ">=", 20_000), Target("lost", "<=", 0))),
    Case("cfdp-1kB", 1_000, "tcpclv4", kind="cfdp",
         router={"applications": {"socket": "app.sock", "endpoints": [{"endpoint": "64"}],
                                  "access": [{"user": str(os.getuid()),
                                              "register": ["ipn:10.*"]}]}},
         targets=(Target("bundles_per_second", ">=", 5_000), Target("lost", "<=", 0))),
    Case("cfdp-checksums", 65_536, kind="checksums",
         targets=tuple(Target(f"{name}_bytes_per_second", ">=", 5_000_000_000)
                       for name in CHECKSUMS)),
    Case("tunnel-1200B", 1_200, kind="tunnel", router=APPLICATIONS,
         targets=(Target("added_p50_us", "<=", 2_000), Target("lost", "<=", 0))),
    Case("no-history-100B", 100, router={"history": {"bundles": 0}},
         targets=(Target("lost", "<=", 0),)),
    Case("history-100B", 100, reference="no-history-100B",
         targets=(Target("ratio_to_reference", ">=", 0.97), Target("lost", "<=", 0))),
    Case("custody-acs-100kB", 100_000, "tcpclv4", kind="custody",
         generator_options=("--bp-version", "6", "--custody", "acs"),
         targets=(Target("goodput_bps", ">=", 4_000_000_000),
                  Target("router_cpu_s_per_GB", "<=", 2), Target("lost", "<=", 0))),
)}
# TCP over an emulated link needs root; it is the reference of other cases.
DEFAULT_CASES = tuple(name for name, case in CASES.items()
                      if name not in ("stcp-v6-100B", "restart-10M", "spool-20GB", "sendfile-10GB")
                      and case.kind != "far-tcp")
