"""Labels of a run: its command and folder, which host, service, version, commit and CI job it belongs to, and what the
user adds (`classhook run --label NAME=VALUE`).

They are taken where the run begins, from what other tools already say: OpenTelemetry's variables, those of CI services
and of Kubernetes, and the files of git's repository, without running git.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from classhook.base.errors import UsageError

NAME = re.compile(r"[^\s=,\x00-\x1f]+")
LONGEST = 1000  # characters of a value
MOST = 64  # labels
SHORT_COMMIT = 10  # characters
COMMAND, FOLDER = "run.command", "run.folder"
#: By label: the variables that say it, the first that is set; the names are those of the CI services and of Kubernetes'
#: downward API.
VARIABLES: dict[str, tuple[str, ...]] = {
    "service": ("OTEL_SERVICE_NAME",),
    "commit": (
        "GITHUB_SHA",
        "CI_COMMIT_SHA",
        "CIRCLE_SHA1",
        "BUILDKITE_COMMIT",
        "BITBUCKET_COMMIT",
        "TRAVIS_COMMIT",
        "BUILD_SOURCEVERSION",
        "GIT_COMMIT",
    ),
    "branch": (
        "GITHUB_HEAD_REF",
        "GITHUB_REF_NAME",
        "CI_COMMIT_REF_NAME",
        "CIRCLE_BRANCH",
        "BUILDKITE_BRANCH",
        "BITBUCKET_BRANCH",
        "TRAVIS_BRANCH",
        "BUILD_SOURCEBRANCHNAME",
        "GIT_BRANCH",
    ),
    "ci.job": (
        "GITHUB_JOB",
        "CI_JOB_NAME",
        "CIRCLE_JOB",
        "BUILDKITE_LABEL",
        "TRAVIS_JOB_NAME",
        "SYSTEM_JOBDISPLAYNAME",
        "JOB_NAME",
    ),
    "ci.run": (
        "GITHUB_RUN_ID",
        "CI_PIPELINE_ID",
        "CIRCLE_WORKFLOW_ID",
        "BUILDKITE_BUILD_ID",
        "TRAVIS_BUILD_ID",
        "BUILD_BUILDID",
        "BUILD_TAG",
    ),
    "k8s.pod": ("POD_NAME", "K8S_POD_NAME"),
    "k8s.namespace": ("POD_NAMESPACE", "K8S_NAMESPACE"),
    "k8s.node": ("NODE_NAME", "K8S_NODE_NAME"),
}
#: Attributes of OpenTelemetry's resources that are labels of ours; others keep their names.
ATTRIBUTES = {
    "service.name": "service",
    "service.version": "version",
    "host.name": "host",
    "container.id": "container",
    "vcs.ref.head.revision": "commit",
    "vcs.ref.head.name": "branch",
    "k8s.pod.name": "k8s.pod",
    "k8s.namespace.name": "k8s.namespace",
    "k8s.node.name": "k8s.node",
}
RESOURCES = "OTEL_RESOURCE_ATTRIBUTES"
CONTAINER = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
REF = "ref: "
HEADS = "refs/heads/"


def labels(
    given: Iterable[str],
    environment: Mapping[str, str] = os.environ,
    folder: Path | None = None,
    command: Iterable[str] = (),
) -> dict[str, str]:
    """All labels of a run that begins now in this folder, by this command: what is known, and over it what the user
    gives as NAME=VALUE. Raises UsageError."""
    own, found, folder = pairs(given), of_environment(environment), folder or Path.cwd()
    place = {COMMAND: shlex.join(command), FOLDER: folder.name, "host": os.uname().nodename}
    known = {**place, **of_container("self"), **of_git(folder), **found}
    known = {name: value[:LONGEST] for name, value in known.items() if value and name not in own}
    return dict([*known.items()][: MOST - len(own)]) | own


def pairs(given: Iterable[str]) -> dict[str, str]:
    """Parses labels that users give as NAME=VALUE. Raises UsageError."""
    found = {}
    for text in given:
        name, is_pair, value = text.partition("=")
        value = " ".join(value.split())
        if not is_pair or not value or not NAME.fullmatch(name) or not text.isprintable():
            raise UsageError(f"--label {text}: a label is NAME=VALUE in one line, such as version=4.1")
        if len(value) > LONGEST:
            raise UsageError(
                f"--label {name}=...: the value has {len(value):,} characters, and a label at most {LONGEST:,}"
            )
        found[name] = value
    if len(found) > MOST:
        raise UsageError(f"--label: {len(found)} labels, and a run has at most {MOST}")
    return found


def of_process(pid: int, given: Iterable[str] = ()) -> dict[str, str]:
    """Labels of a program that runs: from its own variables, and the folder that it runs in."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
        folder = Path(os.readlink(f"/proc/{pid}/cwd"))
    except OSError:
        return {"host": os.uname().nodename} | pairs(given)
    found = labels(given, dict(pair.split("=", 1) for pair in variables if "=" in pair), folder)
    return {name: value for name, value in found.items() if name != "container"} | of_container(str(pid))


def of_environment(environment: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for attribute, value in resource_attributes(environment).items():
        name = ATTRIBUTES.get(attribute, attribute)
        if NAME.fullmatch(name):
            found[name] = value
    for label, names in VARIABLES.items():
        if value := next(filter(None, (environment.get(name) for name in names)), ""):
            found[label] = value
    return found


def resource_attributes(environment: Mapping[str, str]) -> dict[str, str]:
    """The attributes of the program in OpenTelemetry's variable, by their own names."""
    split = [pair.partition("=") for pair in environment.get(RESOURCES, "").split(",")]
    return {name.strip(): decoded(value.strip()) for name, is_pair, value in split if is_pair and name.strip()}


def decoded(value: str) -> str:
    """Decodes the %XX of OpenTelemetry's variables."""
    if "%" not in value:
        return value
    from urllib.parse import unquote  # which takes longer to import than all else here

    return unquote(value)


def of_container(process: str) -> dict[str, str]:
    """The id of the container that a process is in, as Docker, containerd and CRI-O put it into paths of the
    process."""
    for file in (f"/proc/{process}/cgroup", f"/proc/{process}/mountinfo"):
        try:
            ids = CONTAINER.search(Path(file).read_text(errors="replace"))
        except OSError:
            continue
        if ids:
            return {"container": ids[0][:12]}
    return {}


def of_git(folder: Path) -> dict[str, str]:
    """Commit and branch of the checkout that the folder is in."""
    git = next((one / ".git" for one in (folder, *folder.parents) if (one / ".git").exists()), None)
    if git is None:
        return {}
    try:
        if git.is_file():  # of a worktree or a submodule: `gitdir: PATH`
            git = git.parent / git.read_text().partition(":")[2].strip()
        head = (git / "HEAD").read_text().strip()
        if not head.startswith(REF):
            return {"commit": head}
        ref = head.removeprefix(REF)
        branch = {"branch": ref.removeprefix(HEADS)}
        common = git / (git / "commondir").read_text().strip() if (git / "commondir").exists() else git
        for place in (git, common):
            if (place / ref).is_file():
                return {"commit": (place / ref).read_text().strip(), **branch}
        packed = (common / "packed-refs").read_text().splitlines()
        commits = [line.split()[0] for line in packed if line.endswith(f" {ref}")]
        return branch | ({"commit": commits[0]} if commits else {})
    except (OSError, ValueError, IndexError):
        return {}


def written(found: Mapping[str, str]) -> str:
    """The form in which the agent passes labels on to the data file: a line each. It gets them by its environment, in
    which no text has a zero byte."""
    return "\n".join(f"{name}={' '.join(value.replace(chr(0), ' ').split())}" for name, value in found.items())


def place_of(found: Mapping[str, str]) -> str:
    """The text after the program's name: ` in shop, commit 1f2e3d4c5b`, as far as the labels have it."""
    folder, commit = found.get(FOLDER), found.get("commit", "")[:SHORT_COMMIT]
    return (f" in {folder}" if folder else "") + (f", commit {commit}" if commit else "")


def read(text: str) -> dict[str, str]:
    """The labels of a data file."""
    return {name: value for name, is_pair, value in (line.partition("=") for line in text.splitlines()) if is_pair}
