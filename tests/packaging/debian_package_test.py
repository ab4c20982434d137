#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Debian package, made by CPack, has what it should, installs into an empty root, and runs."""

import os
import re

from support import PROGRAMS, check, main, run

DOCUMENTS = ("copyright", "changelog.gz", "changelog.Debian.gz", "guide/installing.md", "examples")
#: Names that other packages have, too.
LINKED = {"bping", "bpsendfile", "bpsink", "bptrace"}
OWN = "/usr/lib/farlink"
UNITS = ("farlink.service", "farlink@.service", "farlink.target")


def built(build, folder):
    """CPack leaves nothing in the build folder."""
    run("cpack", "-G", "DEB", "-B", folder / "package", cwd=build)
    packages = list((folder / "package").glob("*.deb"))
    check(len(packages) == 1, f"{packages}")
    return packages[0]


def contents(package):
    """path: (mode, owner) of every file and folder."""
    listed = [line.split(None, 5) for line in run("dpkg-deb", "-c", package).splitlines()]
    return {path.partition(" -> ")[0].removeprefix(".").rstrip("/"): (mode, owner)
            for mode, owner, *_, path in listed}


def has_what_is_installed(package):
    found = contents(package)
    places = {name: ("/usr/bin", "/usr/share/man") for name in PROGRAMS - LINKED}
    places |= {name: (f"{OWN}/bin", f"{OWN}/man") for name in LINKED}
    wanted = {f"{programs}/{name}" for name, (programs, _) in places.items()}
    wanted |= {f"{pages}/man1/{name}.1.gz" for name, (_, pages) in places.items()}
    for name in LINKED:
        for path in (f"/usr/bin/{name}", f"/usr/share/man/man1/{name}.1.gz"):
            check(path not in found, f"{path} is a file of the package")
    wanted |= {f"/usr/share/bash-completion/completions/{name}" for name in PROGRAMS - {"farlink"}}
    wanted |= {f"/usr/lib/systemd/system/{name}" for name in UNITS}
    wanted |= {f"/usr/share/doc/farlink/{name}" for name in DOCUMENTS}
    wanted |= {"/usr/lib/sysusers.d/farlink.conf", "/usr/lib/tmpfiles.d/farlink.conf",
               "/usr/share/farlink/schema/farlink.schema.json",
               "/usr/share/farlink/contact_plans/up_down_up.json",
               "/usr/share/farlink/prometheus/farlink-alerts.yaml",
               "/usr/share/farlink/grafana/farlink.json",
               "/usr/share/farlink/hooks/alarm-snmp-trap"}
    check(wanted <= found.keys(), f"missing: {wanted - found.keys()}")
    outside = [path for path in found if path and not path.startswith(("/usr", "/etc"))]
    check(not outside, f"{outside}")
    headers = [path for path in found if path.endswith((".hpp", ".h", ".a"))]
    check(not headers, f"{headers}")
    for path, (mode, owner) in found.items():
        check(owner == "root/root", f"{path}: {owner}")
        check(mode[5] == mode[8] == "-" or mode[0] == "l", f"{path}: {mode}")


def tells_what_it_needs(package):
    control = run("dpkg-deb", "--field", package)
    fields = dict(re.findall(r"^(\S+): (.*)$", control, re.MULTILINE))
    check(fields["Package"] == "farlink", control)
    for library in ("libc6", "libstdc++6", "libzmq5", "liburing2", "systemd"):
        check(re.search(rf"\b{re.escape(library)}(?![\w+])", fields["Depends"]), fields["Depends"])
    listed = run("dpkg-deb", "--info", package, "conffiles").split()
    files = {path for path, (mode, _) in contents(package).items()
             if path.startswith("/etc/") and mode[0] == "-"}
    check(set(listed) == files and files, f"conffiles: {listed}, in /etc: {files}")


def has_links(root):
    """By update-alternatives, so that another package may have the names as well."""
    for name in LINKED:
        for link, target in ((f"usr/bin/{name}", f"{OWN}/bin/{name}"),
                             (f"usr/share/man/man1/{name}.1.gz", f"{OWN}/man/man1/{name}.1.gz")):
            choice = os.readlink(root / link)
            check(choice.startswith("/etc/alternatives/"), f"{link}: {choice}")
            found = os.readlink(root / choice.lstrip("/"))
            check(found == target, f"{link}: {found}")
            check((root / target.lstrip("/")).is_file(), f"{target} is missing")


def installs_and_runs(package, root):
    for folder in ("var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/dpkg/alternatives",
                   "var/log", "etc/alternatives"):
        (root / folder).mkdir(parents=True)
    for file in ("var/lib/dpkg/status", "etc/passwd", "etc/group"):
        (root / file).write_text("", encoding="utf-8")
    environment = {**os.environ, "SYSTEMD_LOG_LEVEL": "warning"}
    run("fakeroot", "dpkg", f"--root={root}", "--force-script-chrootless", "--force-depends",
        "--install", package, env=environment)
    version = run("dpkg-deb", "--field", package, "Version").strip().rpartition("-")[0]
    check(run(root / "usr/bin/farlink", "--version").strip() == version, "another version")
    has_links(root)
    check("farlink:" in (root / "etc/passwd").read_text(encoding="utf-8"), "no user")
    check((root / "etc/farlink/keys").stat().st_mode & 0o777 == 0o700, "keys: another mode")
    run(root / "usr/bin/farlink", "--check", "--config",
        root / "usr/share/doc/farlink/examples/service.json")
    unit = (root / "usr/lib/systemd/system/farlink.service").read_text(encoding="utf-8")
    check("\nExecStart=/usr/bin/farlink --config /etc/farlink/farlink.json\n" in unit, unit)
    # What the operator writes outlives the package.
    (root / "etc/farlink/farlink.json").write_text("{}", encoding="utf-8")
    run("fakeroot", "dpkg", f"--root={root}", "--force-script-chrootless", "--purge", "farlink",
        env=environment)
    check(not (root / "usr/bin/farlink").exists(), "the program is still there")
    left = [name for name in LINKED if os.path.lexists(root / "usr/bin" / name)]
    check(not left, f"links are still there: {left}")
    check((root / "etc/farlink/farlink.json").exists(), "the configuration is gone")


def the_package_is_whole(build, folder):
    package = built(build, folder)
    has_what_is_installed(package)
    tells_what_it_needs(package)
    installs_and_runs(package, folder / "root")


if __name__ == "__main__":
    main(the_package_is_whole)
