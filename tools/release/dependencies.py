"""Lists the packages that a release needs when it runs, with licences, as SPDX 2.3 in JSON: those of pip with all
extras, and those of the extension for editors. Licences are those that the installed packages state."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.release.version import EXTENSION, TOP, version

#: Extras that users install; the others are for work on classhook.
EXTRAS = ("dataset", "heap", "lsp", "mcp", "parquet")
NOT_SAID = "NOASSERTION"
#: Licences as packages name them that do not do so in SPDX's way.
SPDX = {
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "BSD 3-Clause": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


def write(folder: Path) -> Path:
    """Writes the list into a folder."""
    file = folder / f"classhook-{version()}.spdx.json"
    file.write_text(json.dumps(document(), indent=1) + "\n")
    return file


def document() -> dict[str, Any]:
    packages = [
        _package("classhook", version(), "Apache-2.0", f"pkg:pypi/classhook@{version()}"),
        *_of_pip(),
        *_of_npm(),
    ]
    first, *others = (one["SPDXID"] for one in packages)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"classhook-{version()}",
        "documentNamespace": f"https://spdx.org/spdxdocs/classhook-{version()}",
        "creationInfo": {"created": _time(), "creators": ["Tool: classhook-release"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": first},
            *(
                {"spdxElementId": first, "relationshipType": "DEPENDS_ON", "relatedSpdxElement": other}
                for other in others
            ),
        ],
    }


def _time() -> str:
    """That of the commit, so that two builds are the same."""
    from tools.wheels.shell import call

    seconds = int(call("git", "log", "-1", "--format=%ct", cwd=TOP))
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _of_pip() -> Iterator[dict[str, Any]]:
    """Packages that pip installs, those that these need included, with the extras that they ask for."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    named = [*project["dependencies"], *(one for extra in EXTRAS for one in project["optional-dependencies"][extra])]
    todo = [Requirement(one) for one in named]
    found: dict[str, metadata.Distribution] = {}
    seen = set[tuple[str, str]]()
    while todo:
        needed = todo.pop()
        key = canonicalize_name(needed.name)
        for extra in {"", *needed.extras}:
            if (key, extra) in seen:
                continue
            seen.add((key, extra))
            found[key] = metadata.distribution(key)
            for text in found[key].requires or []:
                one = Requirement(text)
                if one.marker is None or one.marker.evaluate({"extra": extra}):
                    todo.append(one)
    for key in sorted(found):
        known = found[key]
        yield _package(key, known.version, _licence(known), f"pkg:pypi/{key}@{known.version}")


def _licence(one: metadata.Distribution) -> str:
    said = one.metadata.get("License-Expression")
    if said:
        return str(said)
    lines = [one.metadata.get("License", "")] + [
        value.rpartition(" :: ")[2] for value in one.metadata.get_all("Classifier") or [] if value.startswith("License")
    ]
    for line in lines:
        if line in SPDX or line in SPDX.values():
            return SPDX.get(line, line)
    return NOT_SAID


def _of_npm() -> Iterator[dict[str, Any]]:
    """Packages inside the extension for editors."""
    locked = json.loads((EXTENSION / "package-lock.json").read_text())["packages"]
    for path, one in sorted(locked.items()):
        if path and not one.get("dev"):
            name = path.rpartition("node_modules/")[2]
            yield _package(
                f"npm-{name}", one["version"], one.get("license", NOT_SAID), f"pkg:npm/{name}@{one['version']}"
            )


def _package(name: str, of: str, licence: str, address: str) -> dict[str, Any]:
    return {
        "SPDXID": f"SPDXRef-{re.sub(r'[^a-zA-Z0-9.-]', '-', name)}",
        "name": name.removeprefix("npm-"),
        "versionInfo": of,
        "downloadLocation": NOT_SAID,
        "filesAnalyzed": False,
        "licenseConcluded": NOT_SAID,
        "licenseDeclared": licence,
        "copyrightText": NOT_SAID,
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": address}
        ],
    }
