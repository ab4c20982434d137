#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel of clients/python: tools/wheel.py [--version V] -o FOLDER. Prints its path.

A wheel of plain Python is an archive with three more files; made here, it needs no packages and
has the same octets each time. The fields are those of clients/python/pyproject.toml.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLIENT = ROOT / "clients/python"
WHEEL = """\
Wheel-Version: 1.0
Generator: farlink
Root-Is-Purelib: true
Tag: py3-none-any
"""
#: The oldest time that an archive can have, so that its octets do not depend on the time.
STAMP = (1980, 1, 1, 0, 0, 0)


def metadata(project, version):
    """The file METADATA."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}",
             *(f"Classifier: {each}" for each in project["classifiers"]),
             "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + (CLIENT / project["readme"]).read_text(encoding="utf-8")


def record(files, path):
    """The file RECORD: a digest and the size of each file but itself."""
    lines = []
    for name, octets in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(octets).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(octets)}")
    return "\n".join([*lines, f"{path},,"]) + "\n"


def project_version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(farlink VERSION (\S+)", text, re.MULTILINE)[1]


def make(version, folder):
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = project["name"]
    info = f"{name}-{version}.dist-info"
    sources = sorted((CLIENT / "src" / name).glob("*.py")) + [CLIENT / "src" / name / "py.typed"]
    files = [(f"{name}/{source.name}", source.read_bytes()) for source in sources]
    files += [(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes()),
              (f"{info}/METADATA", metadata(project, version).encode()),
              (f"{info}/WHEEL", WHEEL.encode())]
    files.append((f"{info}/RECORD", record(files, f"{info}/RECORD").encode()))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, octets in files:
            entry = zipfile.ZipInfo(file, STAMP)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, octets)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", default=project_version())
    parser.add_argument("-o", dest="folder", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    print(make(arguments.version, arguments.folder))


if __name__ == "__main__":
    main()
