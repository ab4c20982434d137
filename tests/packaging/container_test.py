#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the files for containers name (programs, options, files, addresses) exists and fits."""

import json
import re
import shlex

import yaml

from support import MODULES, PROGRAMS, ROOT, check, install, main, options_of, run

FOLDER = ROOT / "packaging/container"
CONFIG = "/etc/farlink/farlink.json"


def compose():
    return yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))


def instructions():
    """(instruction, arguments) of the Dockerfile, its last stage under `final`."""
    text = re.sub(r"^#.*\n", "", (FOLDER / "Dockerfile").read_text(encoding="utf-8"),
                  flags=re.MULTILINE)
    found = [line.split(None, 1) for line in text.replace("\\\n", " ").splitlines() if line.strip()]
    last = max(place for place, (name, _) in enumerate(found) if name == "FROM")
    return found, found[last:]


def argument(words, option):
    return words[words.index(option) + 1]


def services_run_farlink_with_options_it_has(build, folder):
    tree = install(build, folder)
    known = options_of(run(tree / "bin/farlink", "--help"))
    found = []
    for name, service in compose()["services"].items():
        words = service["command"]
        used = {word for word in words if word.startswith("-")}
        check(used <= known, f"{name} uses {used - known}")
        found += argument(words, "--modules").split(",")
        check(argument(words, "--config") == CONFIG, f"{name}: another configuration")
    check(sorted(found) == sorted(MODULES), f"the services have {found}")


def mounts_are_declared_and_there(_build, _folder):
    file = compose()
    for name, service in file["services"].items():
        for mount in service["volumes"]:
            source, target, *_ = mount.split(":")
            if source.startswith("."):
                check((FOLDER / source).is_file() and target == CONFIG, f"{name}: {mount}")
            else:
                check(source in file["volumes"] and target == "/var/lib/farlink", mount)
        check(set(service["secrets"]) <= file["secrets"].keys(), f"{name}: no such secret")
        check(service["networks"].keys() <= file["networks"].keys(), f"{name}: no such network")
        check(service["read_only"] and service["cap_drop"] == ["ALL"], f"{name} is open")
        if "build" in service:
            context = (FOLDER / service["build"]["context"]).resolve()
            check((context / service["build"]["dockerfile"]).is_file(), "no Dockerfile")


def the_configuration_fits_the_services(build, folder):
    tree = install(build, folder / "tree")
    file = compose()
    config = json.loads((FOLDER / "farlink.json").read_text(encoding="utf-8"))
    bus = config["bus"]
    check(bus["secretKeyFile"] == f"/run/secrets/{next(iter(file['secrets']))}", "another secret")
    for service in file["services"].values():
        address = service["networks"]["bus"]["ipv4_address"]
        modules = argument(service["command"], "--modules").split(",")
        modules += ["supervisor"] if "scheduler" in modules else []
        for module in modules:
            check(bus[module].startswith(f"tcp://{address}:"), f"{module}: {bus[module]}")
    port = re.search(r":(\d+)$", config["inductsConfig"][0]["url"])[1]
    check(file["services"]["traffic"]["ports"] == [f"{port}:{port}/tcp"], "another port")
    check(any(store.startswith("store:") for store in file["services"]["storage"]["volumes"])
          and config["storageConfig"]["storeFilePath"].startswith("/var/lib/farlink/"), "no store")
    # As the operator completes it: with a pair of keys.
    run(tree / "bin/farlinkctl", "keys", "make", folder / "keys")
    bus["publicKey"] = (folder / "keys/bus.public").read_text(encoding="utf-8").split()[0]
    bus["secretKeyFile"] = str(folder / "keys/bus.secret")
    (folder / "farlink.json").write_text(json.dumps(config), encoding="utf-8")
    for service in file["services"].values():
        run(tree / "bin/farlink", "--config", folder / "farlink.json", "--check", "--modules",
            argument(service["command"], "--modules"))


def the_image_runs_what_the_package_has(build, folder):
    tree = install(build, folder)
    all_stages, final = instructions()
    names = dict(final)
    entry, health = json.loads(names["ENTRYPOINT"]), names["HEALTHCHECK"].partition("CMD")[2]
    words = json.loads(health)
    check(entry == ["farlink"] and words[0] in PROGRAMS, f"{entry}, {words}")
    known = options_of(run(tree / "bin" / words[0], words[1], "--help"))
    check({word for word in words if word.startswith("-")} <= known, f"{words}")
    config = json.loads((FOLDER / "farlink.json").read_text(encoding="utf-8"))
    check(argument(words, "--socket") == config["controlSocket"], f"{words}")
    check(json.loads(names["CMD"]) == ["--config", CONFIG], names["CMD"])
    # The image's user is not root, and the one to whom compose gives the folder of sockets.
    user = names["USER"].partition(":")[0]
    made = next(words for name, words in final if name == "RUN" and "useradd" in words)
    check(argument(shlex.split(made), "--uid") == user != "0", f"{user}: {made}")
    for service in compose()["services"].values():
        check(any(f"uid={user}," in place for place in service["tmpfs"]), f"{service['tmpfs']}")
    command = next(json.loads(words) for name, words in all_stages
                   if name == "RUN" and words.startswith("["))
    check(command == ["./farlink-dev", "package"], f"{command}")
    check(re.search(r"^  package ", run(ROOT / "farlink-dev", "help"), re.MULTILINE), "no package")


def the_build_gets_the_files_it_needs(_build, _folder):
    ignored = (FOLDER / "Dockerfile.dockerignore").read_text(encoding="utf-8")
    kept = re.findall(r"^!(.*)$", ignored, re.MULTILINE)
    missing = [name for name in kept if not (ROOT / name).exists()]
    check(not missing, f"not there: {missing}")
    used = re.findall(r"(?:add_subdirectory|include)\((\w+)",
                      (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    left_out = [name for name in used if (ROOT / name).is_dir() and name not in kept]
    check(used and not left_out, f"left out: {left_out}")


if __name__ == "__main__":
    main(services_run_farlink_with_options_it_has, mounts_are_declared_and_there,
         the_configuration_fits_the_services, the_image_runs_what_the_package_has,
         the_build_gets_the_files_it_needs)
