#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures farlink as a router between bpgen and bpsink, next to a bare relay.

    bench/run.py --case stcp-100B --case stcp-1MB --repeat 5 --duration 5 --json results.json

Every run with the router is next to a reference run: bench/relay in its place, or for the other
convergence layers the router with STCP. So the ratio of the two hardly depends on other programs of
the machine. bench/README.md explains the figures.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import sys
import tempfile

from cases import CASES, CHECKSUMS, DEFAULT_CASES
from hops import Bench
from programs import RunFailed

# Columns of the table: key of the result, heading, factor, digits.
COLUMNS = (
    ("bundles_per_second", "bundles/s", 1, 0),
    ("goodput_bps", "Gbit/s", 1e-9, 3),
    ("direct_bundles_per_second", "direct bundles/s", 1, 0),
    ("direct_goodput_bps", "direct Gbit/s", 1e-9, 3),
    ("relay_bundles_per_second", "relay bundles/s", 1, 0),
    ("relay_goodput_bps", "relay Gbit/s", 1e-9, 3),
    ("ratio_to_relay", "ratio", 1, 3),
    ("reference_bundles_per_second", "reference bundles/s", 1, 0),
    ("reference_goodput_bps", "reference Gbit/s", 1e-9, 3),
    ("ratio_to_reference", "to reference", 1, 3),
    ("steady_goodput_bps", "steady Gbit/s", 1e-9, 3),
    ("router_cores", "router cores", 1, 2),
    ("sink_cores", "bpsink cores", 1, 2),
    ("disk_bytes_per_second", "disk MB/s", 1e-6, 0),
    ("disk_drift", "disk drift", 1, 2),
    ("network_bytes_per_second", "network MB/s", 1e-6, 0),
    ("ratio_to_disk", "to disk", 1, 3),
    ("ratio_to_network", "to network", 1, 3),
    ("ratio_to_limit", "to limit", 1, 3),
    ("first_bundle_s", "first bundle s", 1, 2),
    ("ready_s", "ready s", 1, 2),
    ("check_s", "check s", 1, 2),
    ("load_s", "load s", 1, 2),
    ("stop_s", "stop s", 1, 2),
    ("disk_bytes_per_bundle", "disk B/bundle", 1, 0),
    ("stored_rss_mb", "RSS MB storing", 1, 1),
    ("router_cpu_us_per_bundle", "CPU us/bundle", 1, 3),
    ("router_cpu_s_per_GB", "CPU s/GB", 1, 3),
    ("router_rss_mb", "RSS MB", 1, 1),
    ("generator_cpu_us_per_bundle", "bpgen us/bundle", 1, 3),
    ("sink_cpu_us_per_bundle", "bpsink us/bundle", 1, 3),
    ("round_trip_p50_us", "p50 us", 1, 1),
    ("round_trip_p99_us", "p99 us", 1, 1),
    ("added_p50_us", "added p50 us", 1, 1),
    ("latency_p99_us", "one way p99 us", 1, 1),
    ("tunnel_cpu_us_per_datagram", "tunnel CPU us", 1, 3),
    ("rare_round_trip_p50_us", "p50 us (rare)", 1, 1),
    ("sessions", "sessions", 1, 0),
    ("acknowledged_max_ms", "slowest ms", 1, 1),
    ("starved", "starved", 1, 0),
    ("stalls", "stalls", 1, 0),
    ("bytes_per_set", "bytes/set", 1, 0),
    ("ratio_to_without", "beside", 1, 3),
    ("flood_per_second", "flood bundles/s", 1, 0),
    ("reloads", "reloads", 1, 0),
    ("unverified", "unverified", 1, 0),
    ("stored_share", "stored", 1, 4),
    *((f"{name}_bytes_per_second", f"{name} GB/s", 1e-9, 1) for name in CHECKSUMS),
    ("lost", "lost", 1, 0),
)


def figures(case, results):
    """The figures of one turn: a run for each kind of hop in `results`."""
    if case.kind == "ping":
        router = results["router"]
        times = router["milliseconds"]
        return {"round_trip_p50_us": times["p50"] * 1e3, "round_trip_p99_us": times["p99"] * 1e3,
                "rare_round_trip_p50_us": router["rare"]["milliseconds"]["p50"] * 1e3,
                "lost": router["lost"] + router["rare"]["lost"]}
    if case.kind == "sessions":
        router = results["router"]
        return {"sessions": router["sessions"], "starved": router["starved"],
                "acknowledged_max_ms": router["acknowledged_within_ms"]["max"],
                "router_rss_mb": router["hop_rss_mb"], "lost": router["lost"]}
    if case.kind in ("store", "release"):
        return store_figures(results)
    if case.kind == "restart":
        router = results["router"]
        return {"bundles_per_second": router["bundles"] / router["seconds"],
                **{key: router[key] for key in ("first_bundle_s", "ready_s", "stop_s", "lost",
                                                "disk_bytes_per_bundle", "stored_rss_mb")},
                "router_rss_mb": router["hop_rss_mb"]}
    if case.kind == "custody":
        return custody_figures(results["router"])
    if case.kind == "sets":
        return {key: results["router"][key] for key in ("bundles_per_second", "bytes_per_set",
                                                        "ratio_to_without")}
    if case.kind == "plan":
        return {key: results["router"][key] for key in ("check_s", "load_s", "router_rss_mb")}
    if case.kind in ("flood", "rotation"):
        wanted = ("bundles_per_second", "ratio_to_without", "flood_per_second", "reloads",
                  "unverified", "lost")
        return {key: value for key, value in results["router"].items() if key in wanted}
    if case.kind in ("app", "app-rtt", "app-python", "app-python-one", "http-post"):
        return application_figures(results["router"])
    if case.kind == "tunnel":
        node = results["router"]
        return {key: node[key] for key in ("bundles_per_second", "goodput_bps", "added_p50_us",
                                           "latency_p99_us", "tunnel_cpu_us_per_datagram",
                                           "router_rss_mb", "lost")}
    if case.kind in ("sendfile", "cfdp"):
        return file_figures(results)
    if case.kind == "checksums":
        return {key: value for key, value in results["router"].items() if key != "ok"}
    if case.kind == "far-tcp":
        return {"steady_goodput_bps": results["router"]["steady_goodput_bps"]}
    return flow_figures(results)


def application_figures(node):
    """The rate from one application to the other, and how long one ADU at a time takes."""
    return {"bundles_per_second": node["bundles_per_second"], "goodput_bps": node["goodput_bps"],
            "router_cpu_us_per_bundle": node["hop_cpu_s"] / node["bundles"] * 1e6,
            "router_rss_mb": node["hop_rss_mb"],
            **{key: node[key] for key in ("round_trip_p50_us", "round_trip_p99_us")
               if node[key] > 0},
            "lost": node["lost"]}


def file_figures(results):
    """Files per second, and the rate of their octets beside that of bundles of the same size."""
    node = results["router"]
    found = {"bundles_per_second": node["bundles_per_second"], "goodput_bps": node["goodput_bps"],
             "router_cpu_s_per_GB": node["hop_cpu_s"] / (node["payload_bytes"] / 1e9),
             "router_rss_mb": node["hop_rss_mb"], "lost": node["lost"]}
    if "reference" in results:
        reference = results["reference"]["goodput_bps"]
        found["reference_goodput_bps"] = reference
        found["ratio_to_reference"] = node["goodput_bps"] / reference
    return found


def custody_figures(router):
    """The rate at which custody has gone through the router, from generator to sink."""
    return {"bundles_per_second": router["bundles"] / router["seconds"],
            "goodput_bps": router["payload_bytes"] * 8 / router["seconds"],
            "router_cpu_us_per_bundle": router["hop_cpu_s"] / router["bundles"] * 1e6,
            "router_cpu_s_per_GB": router["hop_cpu_s"] / (router["payload_bytes"] / 1e9),
            "router_rss_mb": router["hop_rss_mb"],
            "latency_p50_ms": router["latency_ms"]["p50"],
            "latency_p99_ms": router["latency_ms"]["p99"],
            "lost": router["lost"], "duplicates": router["duplicates"]}


def store_figures(results):
    """The rate of storage, as a share of the rates of the disk and of the network alone."""
    router = results["router"]
    payload_bytes = router["bundles"] * router["payload_bytes"]
    rate = payload_bytes / router["seconds"]
    disk = router["disk_bytes_per_second"]
    found = {"bundles_per_second": router["bundles"] / router["seconds"],
             "goodput_bps": rate * 8,
             "disk_bytes_per_second": disk,
             "disk_drift": router["disk_drift"],
             "ratio_to_disk": rate / disk,
             "router_cpu_us_per_bundle": router["hop_cpu_s"] / router["bundles"] * 1e6,
             "router_cpu_s_per_GB": router["hop_cpu_s"] / (payload_bytes / 1e9),
             "router_rss_mb": router["hop_rss_mb"], "lost": router["lost"]}
    if "network" in results:
        network = results["network"]["goodput_bps"] / 8
        found.update({"network_bytes_per_second": network,
                      "ratio_to_network": rate / network,
                      "ratio_to_limit": rate / min(disk, network)})
    return found


def flow_figures(results):
    found = {}
    for hop in ("direct", "relay", "reference"):
        if hop in results:
            found[f"{hop}_bundles_per_second"] = results[hop]["bundles_per_second"]
            found[f"{hop}_goodput_bps"] = results[hop]["goodput_bps"]
    # The processor time of the tools, with the router in the middle if there is one.
    last = results[max(results, key=("direct", "reference", "relay", "router").index)]
    for tool in ("generator", "sink"):
        found[f"{tool}_cpu_us_per_bundle"] = last[f"{tool}_cpu_s"] / last["received"] * 1e6
    if "router" not in results:
        return found
    router = results["router"]
    found.update({
        "bundles_per_second": router["bundles_per_second"],
        "goodput_bps": router["goodput_bps"],
        "router_cpu_us_per_bundle": router["hop_cpu_s"] / router["received"] * 1e6,
        "router_cpu_s_per_GB": router["hop_cpu_s"] / (router["payload_bytes"] / 1e9),
        "router_rss_mb": router["hop_rss_mb"],
        "latency_p50_ms": router["latency_ms"]["p50"],
        "latency_p99_ms": router["latency_ms"]["p99"],
        "lost": router["lost"],
        "duplicates": router["duplicates"],
    })
    for key in ("steady_goodput_bps", "router_cores", "sink_cores", "stalls", "stored_share"):
        if key in router:
            found[key] = router[key]
    for hop in ("relay", "reference"):
        if hop in results:
            found[f"ratio_to_{hop}"] = router["goodput_bps"] / results[hop]["goodput_bps"]
    return found


def summary(case, turns):
    """{median, min, max} of every figure of a case."""
    result = {"case": case.name, "payload_bytes": case.payload_bytes}
    if case.reference:
        result["reference"] = case.reference
    for key in turns[0]:
        values = [turn[key] for turn in turns]
        result[key] = {"median": statistics.median(values), "min": min(values),
                       "max": max(values)}
    return result


def hops_of(case, wanted):
    """The requested kinds of runs that a turn of this case has."""
    if case.kind in ("store", "release") and "relay" in wanted and "router" in wanted:
        return ("network", "router")
    if case.kind not in ("flow", "spool") and not (case.kind == "sendfile" and case.reference):
        return tuple(hop for hop in wanted if hop == "router")
    # The reference of a case is another case of the router, or the relay.
    return tuple("reference" if hop == "relay" and case.reference and "router" in wanted else hop
                 for hop in wanted)


def one_line(case, result):
    if case.kind == "ping":
        return f"{result['milliseconds']['p50'] * 1e3:12,.1f} us round trip"
    if case.kind == "sessions":
        return f"{result['sessions']:12,} sessions"
    if "disk_bytes_per_second" in result:
        return (f"{result['bundles'] / result['seconds']:12,.0f} bundles/s, disk "
                f"{result['disk_bytes_per_second'] / 1e6:,.0f} MB/s")
    if case.kind == "sets":
        return f"{result['bytes_per_set']:12,.0f} bytes a set"
    if case.kind == "plan":
        return f"{result['check_s']:12,.2f} s to check, {result['load_s']:.2f} s to load"
    if case.kind == "flood":
        return f"{result['bundles_per_second']:12,.0f} bundles/s beside the flood"
    if case.kind == "checksums":
        return ", ".join(f"{name} {result[f'{name}_bytes_per_second'] / 1e9:.1f} GB/s"
                         for name in CHECKSUMS)
    if case.kind == "restart":
        return f"{result['first_bundle_s']:12,.2f} s to the first bundle"
    if "steady_goodput_bps" in result:
        return f"{result['steady_goodput_bps'] / 1e9:8.4f} Gbit/s when steady"
    return (f"{result['bundles_per_second']:12,.0f} bundles/s "
            f"{result['goodput_bps'] / 1e9:8.3f} Gbit/s")


def measure(bench, case, wanted, repeat):
    hops = hops_of(case, wanted)
    turns = []
    for number in range(repeat if hops else 0):
        # In turn, so that neither always runs on the warmer machine.
        order = hops if number % 2 == 0 else tuple(reversed(hops))
        results = {hop: bench.run(case, hop) for hop in order}
        for hop, result in results.items():
            bench.flawed += not result["ok"]
            print(f"{case.name} {number + 1}/{repeat} {hop:9s} {one_line(case, result)}"
                  + ("" if result["ok"] else f"  FLAWED: {json.dumps(result)}"),
                  file=sys.stderr, flush=True)
        turns.append(figures(case, results))
    return summary(case, turns) if turns else None


TARGET_KEYS = ("case", "figure", "median", "relation", "target", "reached")


def targets_of(results):
    """The TARGET_KEYS of each target of each case; None for figures that these runs do not give."""
    for result in results:
        for target in CASES[result["case"]].targets:
            value = reached = None
            if target.figure in result:
                value = result[target.figure]["median"]
                reached = value >= target.value if target.relation == ">=" else \
                    value <= target.value
            yield result["case"], target.figure, value, target.relation, target.value, reached


VERDICTS = {True: "reached", False: "MISSED", None: "not measured"}
MISSED = 3  # the exit code; 1 is a run that does not count


def print_targets(results):
    """Prints each target and its result; returns how many were missed."""
    missed = 0
    rows = [["case", "figure", "median", "target", ""]]
    for case, figure, value, relation, wanted, reached in targets_of(results):
        digits = 0 if wanted >= 1000 else 3 if wanted < 10 else 1
        rows.append([case, figure, "-" if value is None else f"{value:,.{digits}f}",
                     f"{relation} {wanted:,}", VERDICTS[reached]])
        missed += reached is False
    if len(rows) > 1:
        print()
        print_rows(rows)
    if missed:
        print(f"\n{missed} of {len(rows) - 1} targets MISSED")
    return missed


def print_rows(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths)))


def print_table(results):
    columns = [column for column in COLUMNS if any(column[0] in row for row in results)]
    rows = [["case"] + [heading for _, heading, _, _ in columns]]
    for result in results:
        row = [result["case"]]
        for key, _, factor, digits in columns:
            figure = result.get(key)
            if figure is None:
                row.append("-")
                continue
            median, low, high = (figure[name] * factor for name in ("median", "min", "max"))
            row.append(f"{median:,.{digits}f} ({low:,.{digits}f}..{high:,.{digits}f})")
        rows.append(row)
    print_rows(rows)


def machine():
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"processor": model, "cores": os.cpu_count(), "kernel": platform.release()}


def allow_many_connections():
    """Raises the limit of open files: a thousand sessions exceed the usual limit of a shell."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--case", action="append", choices=sorted(CASES), metavar="CASE",
                        help="one of " + ", ".join(CASES) + "; may be repeated")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each kind (5)")
    parser.add_argument("--duration", type=float, default=5, help="seconds of each run (5)")
    parser.add_argument("--json", metavar="FILE", help="write the results to this file")
    parser.add_argument("--build", default="build/release", metavar="FOLDER",
                        help="where bin/ with the programs is (build/release)")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--router-only", action="store_true", help="no relay, for profiling")
    only.add_argument("--relay-only", action="store_true", help="no router")
    only.add_argument("--direct", action="store_true",
                      help="no hop between bpgen and bpsink: the limit of the tools")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    hops = ("relay", "router")
    if arguments.router_only:
        hops = ("router",)
    elif arguments.relay_only:
        hops = ("relay",)
    elif arguments.direct:
        hops = ("direct",)
    results = []
    allow_many_connections()
    try:
        with tempfile.TemporaryDirectory(prefix="farlink-bench-") as folder:
            bench = Bench(arguments.build, arguments.duration, folder)
            for name in arguments.case or DEFAULT_CASES:
                if found := measure(bench, CASES[name], hops, arguments.repeat):
                    results.append(found)
    except RunFailed as failed:
        print(f"bench: {failed}", file=sys.stderr)
        return 1
    print_table(results)
    missed = print_targets(results)
    if arguments.json:
        targets = [dict(zip(TARGET_KEYS, row)) for row in targets_of(results)]
        with open(arguments.json, "w", encoding="ascii") as file:
            json.dump({"machine": machine(), "repeat": arguments.repeat,
                       "duration_s": arguments.duration, "cases": results, "targets": targets},
                      file, indent=2)
            file.write("\n")
    if bench.flawed:
        return 1
    return MISSED if missed else 0


if __name__ == "__main__":
    sys.exit(main())
