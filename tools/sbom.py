#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the software bill of materials of a build, as SPDX 2.3 in JSON.

    tools/sbom.py --version 0.1.0 -o farlink.spdx.json build/release/bin/farlink ...

It lists farlink, the shared libraries of the programs with the Debian packages that they come from,
the libraries whose code is compiled in, and the npm packages of the dashboard: those that are part
of it, and those that build it. SOURCE_DATE_EPOCH sets the time.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Headers and static code of these become part of the programs.
COMPILED_IN = ("libboost1.81-dev", "cppzmq-dev", "nlohmann-json3-dev", "libcli11-dev",
               "libspdlog-dev", "libfmt-dev")


def output_of(*command):
    """What a command prints; nothing when it fails."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def shared_libraries(programs):
    """The files that the dynamic linker loads for the programs."""
    found = set()
    for program in programs:
        for path in re.findall(r"=> (/\S+)", output_of("ldd", str(program))):
            found.add(os.path.realpath(path))
    return sorted(found)


def debian_package_of(file):
    """The package that installed a file, also where /lib is a link to /usr/lib."""
    for name in (file, re.sub(r"^/usr", "", file)):
        owner = output_of("dpkg-query", "--search", name).split(": ")[0].split(",")[0].strip()
        if owner:
            return owner.split(":")[0]
    return None


def debian_facts(name):
    """(version, source package) of an installed Debian package, or None."""
    line = output_of("dpkg-query", "--show", "--showformat",
                     "${Version}\t${source:Package}\n", name).split("\n")[0]
    return tuple(line.split("\t")) if "\t" in line else None


def identifier(kind, name, version):
    """An SPDX id of letters, digits, dots and hyphens."""
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", f"{kind}-{name}-{version}")


def package(kind, name, version, licence, purl):
    """An entry of `packages`."""
    return {
        "SPDXID": identifier(kind, name, version),
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": purl}],
    }


def debian_entries(programs):
    """(entry, relationship to farlink) of each Debian package whose code runs in a program."""
    uses = {name: "STATIC_LINK" for name in COMPILED_IN}
    for library in shared_libraries(programs):
        name = debian_package_of(library)
        if name is not None:
            uses.setdefault(name, "DYNAMIC_LINK")
    for name, relation in sorted(uses.items()):
        facts = debian_facts(name)
        if facts is None:
            continue
        version, source = facts
        entry = package("deb", name, version, "NOASSERTION",
                        f"pkg:deb/debian/{name}@{version}?upstream={source}")
        yield entry, relation


def npm_entries(lock):
    """(entry, relationship to farlink) of each package that webui/package-lock.json pins."""
    for place, facts in sorted(lock["packages"].items()):
        if not place:
            continue
        name = place.rsplit("node_modules/", maxsplit=1)[-1]
        purl = f"pkg:npm/{name.replace('@', '%40')}@{facts['version']}"
        entry = package("npm", name, facts["version"], facts.get("license", "NOASSERTION"), purl)
        yield entry, "BUILD_TOOL" if facts.get("dev") else "CONTAINS"


def relationship(relation, theirs, ours):
    """SPDX has BUILD_TOOL_OF in one direction, and the others in the other."""
    if relation == "BUILD_TOOL":
        return {"spdxElementId": theirs, "relationshipType": "BUILD_TOOL_OF",
                "relatedSpdxElement": ours}
    return {"spdxElementId": ours, "relationshipType": relation, "relatedSpdxElement": theirs}


def document(version, programs, lock, when):
    """The whole bill."""
    own = package("own", "farlink", version, "Apache-2.0", f"pkg:generic/farlink@{version}")
    entries = {}
    for entry, relation in [*debian_entries(programs), *npm_entries(lock)]:
        entries.setdefault(entry["SPDXID"], (entry, relation))
    names = json.dumps(sorted(entries)).encode()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"farlink-{version}",
        "documentNamespace": "urn:farlink:sbom:" + version + ":"
                             + hashlib.sha256(names).hexdigest()[:32],
        "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: farlink-tools-sbom"]},
        "packages": [own, *(entry for entry, _ in entries.values())],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": own["SPDXID"]},
            *(relationship(relation, entry["SPDXID"], own["SPDXID"])
              for entry, relation in entries.values()),
        ],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--version", required=True, help="of farlink")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    lock = json.loads((ROOT / "webui" / "package-lock.json").read_text(encoding="utf-8"))
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    when = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch \
        else datetime.datetime.now(datetime.timezone.utc)
    made = document(options.version, options.programs, lock, when)
    options.output.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
