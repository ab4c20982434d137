#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fresh clone in a clean Debian root does what the README and the guide say of it.

What is committed is cloned twice into a root where nothing but apt is installed. In one clone the
README's first command runs, and the page that it advertises is fetched; in the other the package is
built. The package is then installed in a second clean root, and the node started there and asked
for its status. Takes root, the network and as long as two builds; FARLINK_CLEAN_CACHE names a
folder of ccache that the clones may use.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from documents import blocks_of, is_shown  # noqa: E402
SUITE = "bookworm"
BUILD_LIMIT_S = 3 * 3600
LIMIT_S = 120
PAGE = re.compile(r"the dashboard is at (\S+)")
SOCKET = "/run/farlink/control.sock"
# What systemd does for the unit, in a root without it.
START = (f"install -d -o farlink -g farlink -m 0750 /run/farlink && ip link set lo up && "
         "exec setpriv --reuid farlink --regid farlink --clear-groups "
         "farlink --config /etc/farlink/farlink.json")


def say(what):
    print(f"{time.strftime('%H:%M:%S')} {what}", flush=True)


def check(holds, what):
    if not holds:
        raise SystemExit(f"FAILED: {what}")


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    check(done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout[-6000:]}")
    return done.stdout


def sources():
    """Where this machine has its packages from, if it is Debian."""
    for file in ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"):
        if os.path.isfile(file) and SUITE in pathlib.Path(file).read_text(encoding="utf-8"):
            return [file]
    return []


def make_root(archive):
    # git is what a clone takes; ca-certificates what an archive by TLS takes.
    run("mmdebstrap", "--variant=apt", "--include=ca-certificates,git,iproute2", SUITE, archive,
        *sources(), timeout=LIMIT_S * 20)


def unpack(archive, root):
    root.mkdir()
    run("tar", "-xf", archive, "-C", root, "--numeric-owner")
    for file in ("/etc/resolv.conf", "/etc/hosts"):
        shutil.copy(file, root / file[1:])


def inside(root, *words, own_network=False):
    """Words that run in the root, with processes of its own that end with it."""
    network = ["--net"] if own_network else []
    mounts = [f"mount -t proc proc {root}/proc"]
    cache = os.environ.get("FARLINK_CLEAN_CACHE")
    environment = ["HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                   "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]
    if cache:
        mounts.append(f"mkdir -p {root}/ccache && mount --bind {cache} {root}/ccache")
        environment += ["CCACHE_DIR=/ccache", "CCACHE_BASEDIR=/clones", "CCACHE_NOHASHDIR=1"]
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", *network, "sh", "-c",
            " && ".join(mounts) + ' && exec chroot "$0" env -i "$@"', str(root), *environment,
            *words]


def in_clone(root, name, command):
    return inside(root, "sh", "-c", f"cd /clones/{name} && exec {command}")


def clone(root, name):
    (root / "clones").mkdir(exist_ok=True)
    run("git", "clone", "--quiet", "--no-hardlinks", ROOT, root / "clones" / name)


def first_command():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(r"^(\./farlink-dev [a-z]+)", text, re.MULTILINE)[1]


def shown_output():
    """What the README shows of it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return next(block.text for block in blocks_of("README.md", text)
                if block.sort == "output elsewhere")


def the_first_command_shows_its_page(root):
    clone(root, "first")
    process = subprocess.Popen(in_clone(root, "first", first_command()), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    late = threading.Timer(BUILD_LIMIT_S, process.kill)
    late.start()
    seen, page = [], ""
    try:
        for line in process.stdout:
            seen.append(line)
            found = PAGE.search(line)
            if found:
                with urllib.request.urlopen(found[1], timeout=LIMIT_S) as answer:
                    page = answer.read().decode()
        code = process.wait(LIMIT_S)
    finally:
        late.cancel()
        process.kill()
    check(code == 0, f"{first_command()}: exit code {code}\n{''.join(seen[-60:])}")
    check("<html" in page, f"no page:\n{''.join(seen)}")
    check(is_shown("...\n" + shown_output(), "".join(seen), True),
          f"the README shows\n{shown_output()}and the command prints\n{''.join(seen)}")


def package_of(root):
    clone(root, "package")
    run(*in_clone(root, "package", "./farlink-dev package"), timeout=BUILD_LIMIT_S)
    packages = list((root / "clones/package/build/package").glob("farlink_*.deb"))
    check(len(packages) == 1, f"packages: {packages}")
    return packages[0]


def status_of(root, process):
    """What `farlinkctl status` says, as soon as the node is ready."""
    late = threading.Timer(LIMIT_S, process.kill)
    late.start()
    seen = []
    for line in process.stderr:
        seen.append(line)
        if "ready: " in line:
            late.cancel()
            return json.loads(run("chroot", root, "farlinkctl", "status", "--json", "--socket",
                                  SOCKET))
    raise SystemExit("FAILED: the installed node does not start:\n" + "".join(seen))


def the_package_installs_starts_and_answers(root, package):
    shutil.copy(package, root / "farlink.deb")
    run(*inside(root, "sh", "-c", "apt-get -q update && apt-get -q -y install "
                "--no-install-recommends /farlink.deb"), timeout=LIMIT_S * 10)
    run(*inside(root, "sh", "-c",
                "cp /usr/share/doc/farlink/examples/service.json /etc/farlink/farlink.json && "
                "chown root:farlink /etc/farlink/farlink.json && install -d -o farlink -g farlink "
                "-m 0700 /var/lib/farlink && "
                "runuser -u farlink -- farlink --config /etc/farlink/farlink.json --check"))
    process = subprocess.Popen(inside(root, "sh", "-c", START, own_network=True), text=True,
                               stderr=subprocess.PIPE)
    try:
        status = status_of(root, process)
        check(status.get("node") and status.get("ok"), f"status: {status}")
        children = run("pgrep", "--parent", process.pid).split()
        os.kill(int(children[0]), signal.SIGTERM)
        check(process.wait(LIMIT_S) == 0, f"exit code {process.returncode}")
    finally:
        process.kill()


def main():
    check(os.geteuid() == 0, "takes root: it makes roots of its own")
    with tempfile.TemporaryDirectory(prefix="farlink-clean-") as name:
        folder = pathlib.Path(name)
        say("making a clean root")
        make_root(folder / "root.tar")
        unpack(folder / "root.tar", folder / "clones")
        say(first_command())
        the_first_command_shows_its_page(folder / "clones")
        say("./farlink-dev package")
        package = package_of(folder / "clones")
        say(f"installing {package.name}")
        unpack(folder / "root.tar", folder / "installed")
        the_package_installs_starts_and_answers(folder / "installed", package)
    say("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
