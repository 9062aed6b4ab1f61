"""Builds without a changed line: Maven with its forks, Kotlin, Scala, JUnit's console; Mockito's, Spring's and JaCoCo's
agents beside.

Maven fetches what it needs into its own repository; without a network these tests are skipped. The builds of other
languages than Java take long: they run with CLASSHOOK_TEST_BUILDS=1, as in `make test-all` and `make compare-jacoco`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from classhook.coverage.class_id import class_id
from classhook.coverage.execfile import read
from tests import peers
from tests.conftest import ENVIRONMENT, PATIENCE, Jvm, classhook_command, execute, long_build, run_line
from tests.coverage.conftest import class_files, peer
from tests.coverage.reporting import git

BUILDS = Path(__file__).parent / "builds"
DOCS = Path(__file__).parents[2] / "docs" / "questions" / "coverage.md"
RULES = ["cover com.acme.**"]
ABSENT = re.compile(
    r"Could not (resolve|transfer)|could not be resolved|Unknown host|Cannot access|PluginResolutionException"
)
CONSOLE = peers.Artifact("org.junit.platform", "junit-platform-console-standalone", "1.13.4")
JUNIT4 = (peers.Artifact("junit", "junit", "4.13.2"), peers.Artifact("org.hamcrest", "hamcrest-core", "1.3"))
SPRING = peers.Artifact("org.springframework", "spring-instrument", "6.2.10")


def executed(file: Path, classes: Path) -> dict[str, bytes]:
    """By class that was built and ran: its probes."""
    built = {class_id(data) for data in class_files(classes)}
    found = read(file.read_bytes()).classes.values()
    return {one.name: one.probes for one in found if one.class_id in built and any(one.probes)}


def reported(project: Path, *data: Path) -> dict[str, bytes]:
    """Writes our report of a build in the form of JaCoCo's data; returns the probes of each class that ran."""
    file = project / "ours.exec"
    done = execute(
        [
            *classhook_command(),
            "coverage",
            "-f",
            "jacoco-exec",
            "--classes",
            project / "target" / "classes",
            "-o",
            file,
            *data,
        ]
    )
    assert done.status == 0, done.stderr
    return executed(file, project / "target" / "classes")


def built(name: str, folder: Path, options: list[str], data: Path) -> Path:
    """A project that `mvn test` has built and tested under `classhook run`."""
    if shutil.which("mvn") is None:
        pytest.skip("no mvn in PATH")
    project = folder / name
    shutil.copytree(BUILDS / name, project)
    line = run_line(RULES, data, ["mvn", "-B", "-q", "-f", project, *options, "test"])
    done = execute(line)
    if done.status and ABSENT.search(done.stdout):
        pytest.skip(f"mvn cannot fetch what the build needs: {done.stdout[:300]}")
    assert done.status == 0, done.stdout + done.stderr
    return project


def with_jacoco(agent: Path, file: Path) -> str:
    return f"-DargLine=-javaagent:{agent}=destfile={file},append=true"


@pytest.fixture(scope="module")
def maven(agent: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Java project, built with two forks, a JVM for each test class; in `jacoco.exec` what JaCoCo's agent saw in
    the same JVMs."""
    folder = tmp_path_factory.mktemp("builds")
    return built(
        "maven", folder, [with_jacoco(agent, folder / "maven" / "jacoco.exec")], folder / "maven" / "classhook-data"
    )


def test_maven(maven: Path) -> None:
    """Mockito mocks a final class by an agent, and Spring makes subclasses; JaCoCo's agent is there, too."""
    found = reported(maven, maven / "classhook-data")
    assert sorted(found) == ["com/acme/Orders", "com/acme/Shop", "com/acme/Store"]
    assert found == executed(maven / "jacoco.exec", maven / "target" / "classes")


@long_build
@pytest.mark.parametrize("how", ["argLine", "VMOptionsFile"])
def test_the_agent_without_a_long_variable(how: str, jdk: Jvm, tmp_path: Path) -> None:
    """The agent's option is in the command line of the tests' JVMs, which then print nothing, or in a file that the
    variable names: docs/questions/builds.md has both."""
    if shutil.which("mvn") is None:
        pytest.skip("no mvn in PATH")
    project, options = tmp_path / "maven", tmp_path / "agent.args"
    shutil.copytree(BUILDS / "maven", project)
    assert (
        execute([*classhook_command(), "rules", "--compile", "-e", RULES[0], "-o", tmp_path / "rules.compiled"]).status
        == 0
    )
    agent = execute([*classhook_command(), "self", "agent"]).stdout.strip()
    options.write_text(f"-agentpath:{agent}=rules={tmp_path}/rules.compiled,data={project}/classhook-data\n")
    line = ["mvn", "-B", "-q", "-f", project, "test", *([f"-DargLine=@{options}"] if how == "argLine" else [])]
    done = execute(
        line, env=ENVIRONMENT | ({"JAVA_TOOL_OPTIONS": f"-XX:VMOptionsFile={options}"} if how != "argLine" else {})
    )
    if done.status and ABSENT.search(done.stdout):
        pytest.skip(f"mvn cannot fetch what the build needs: {done.stdout[:300]}")
    assert done.status == 0, done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert "libclasshook" not in said
    assert ("Picked up" in said) is (how != "argLine")
    assert sorted(reported(project, project / "classhook-data")) == [
        "com/acme/Orders",
        "com/acme/Shop",
        "com/acme/Store",
    ]


@long_build
@pytest.mark.parametrize("language", ["kotlin", "scala"])
@pytest.mark.parametrize("beside", ["alone", "JaCoCo"])
def test_other_languages(language: str, beside: str, agent: Path, jdk: Jvm, tmp_path: Path) -> None:
    file = tmp_path / "jacoco.exec"
    options = [with_jacoco(agent, file)] if beside != "alone" else []
    project = built(language, tmp_path, options, tmp_path / "data")
    found = reported(project, tmp_path / "data")
    assert len(found) > 3
    if beside == "alone":
        done = execute(["mvn", "-B", "-q", "-f", project, with_jacoco(agent, file), "test"])
        assert done.status == 0, done.stdout
    assert found == executed(file, project / "target" / "classes")


@long_build
def test_gradle(agent: Path, jdk: Jvm, tmp_path: Path) -> None:
    """A Gradle of any age, such as Debian's 4.4; its worker is a JVM of its own."""
    if shutil.which("gradle") is None:
        pytest.skip("no gradle in PATH")
    project = tmp_path / "gradle"
    shutil.copytree(BUILDS / "gradle", project)
    done = execute(run_line(RULES, tmp_path / "data", ["gradle", "--no-daemon", "-p", project, "test"]))
    assert done.status == 0, done.stdout + done.stderr
    shutil.copytree(project / "build" / "classes" / "java" / "main", project / "target" / "classes")
    assert (
        reported(project, tmp_path / "data")
        == by_jacoco(project, project / "build/classes/java/test", agent, jdk)
        != {}
    )


@long_build
@pytest.mark.parametrize("task", ["junit", "junit-fork", "junitlauncher", "junitlauncher-fork"])
def test_ant(task: str, agent: Path, jdk: Jvm, tmp_path: Path) -> None:
    """Ant's own tasks, in its JVM and in a fork."""
    if shutil.which("ant") is None:
        pytest.skip("no ant in PATH")
    project = tmp_path / "ant"
    shutil.copytree(BUILDS / "gradle", project)
    shutil.copytree(BUILDS / "ant", project, dirs_exist_ok=True)
    (project / "lib").mkdir()
    for artifact in (*JUNIT4, CONSOLE):
        shutil.copy(peer(artifact), project / "lib")
    done = execute(run_line(RULES, tmp_path / "data", ["ant", "-q", "-f", project / "build.xml", task]))
    if "to create task or type" in done.stdout + done.stderr:
        pytest.skip("Ant's optional tasks are not installed")
    assert done.status == 0, done.stdout + done.stderr
    assert reported(project, tmp_path / "data") == by_jacoco(project, project / "target" / "tests", agent, jdk) != {}


def by_jacoco(project: Path, tests: Path, agent: Path, jdk: Jvm) -> dict[str, bytes]:
    """Runs the same classes in JUnit with JaCoCo's agent; returns the probes of each class that ran."""
    path = os.pathsep.join(map(str, [project / "target" / "classes", tests, *map(peer, JUNIT4)]))
    file = project / "jacoco.exec"
    execute(
        [
            jdk.java,
            f"-javaagent:{agent}=destfile={file}",
            "-cp",
            path,
            "org.junit.runner.JUnitCore",
            "com.acme.OrdersTest",
        ]
    )
    return executed(file, project / "target" / "classes")


@pytest.fixture(scope="module")
def console(maven: Path, jdk: Jvm) -> list[str | Path]:
    """The arguments of a JVM that runs the project's tests in JUnit's console, but for agents."""
    done = execute(
        ["mvn", "-B", "-q", "-o", "-f", maven, "dependency:build-classpath", f"-Dmdep.outputFile={maven}/path"]
    )
    if done.status:  # offline, only if the plugin is there
        done = execute(
            ["mvn", "-B", "-q", "-f", maven, "dependency:build-classpath", f"-Dmdep.outputFile={maven}/path"]
        )
    assert done.status == 0, done.stdout
    needs = [
        path
        for path in (maven / "path").read_text().split(os.pathsep)
        if not re.search(r"/(junit|opentest4j|apiguardian)", path)
    ]
    path = os.pathsep.join(
        map(str, [maven / "target" / "classes", maven / "target" / "test-classes", peer(CONSOLE), *needs])
    )
    words = [
        "org.junit.platform.console.ConsoleLauncher",
        "execute",
        "--disable-banner",
        "--details=none",
        "--scan-classpath",
    ]
    return ["-cp", path, *words, maven / "target" / "test-classes"]


@pytest.mark.parametrize(
    "others", [pytest.param("alone", marks=pytest.mark.slow), "with Mockito's and Spring's agents"]
)
def test_junits_console(
    others: str, maven: Path, console: list[str | Path], agent: Path, jdk: Jvm, tmp_path: Path
) -> None:
    """Our agent says what JaCoCo's says in our place; tests stay green."""
    agents = []
    if others != "alone":
        mockito = next(path for path in str(console[1]).split(os.pathsep) if "mockito-core" in path)
        agents = [f"-javaagent:{mockito}", f"-javaagent:{peer(SPRING)}"]
    file = tmp_path / "jacoco.exec"
    assert execute([jdk.java, f"-javaagent:{agent}=destfile={file}", *agents, *console]).status == 0
    done = execute(run_line(RULES, tmp_path / "data", [jdk.java, *agents, *console]))
    assert done.status == 0, done.stdout + done.stderr
    assert reported(maven, tmp_path / "data") == executed(file, maven / "target" / "classes")


def documented() -> list[str]:
    """The commands of docs/questions/coverage.md that report something: in a text, where they may be broken, and in
    lines of their own."""
    text = DOCS.read_text()
    within, alone = r"`(classhook coverage [^`]+)`", r"(?m)^(?:\$ |    )(classhook coverage .+?)(?: +#.*)?$"
    return list(dict.fromkeys(" ".join(one.split()) for form in (within, alone) for one in re.findall(form, text)))


@pytest.mark.parametrize("command", documented())
def test_a_documented_command(command: str, maven: Path, tmp_path: Path) -> None:
    """The command runs, as it is documented, at the top of a repository that was built."""
    project = tmp_path / "repository"
    shutil.copytree(maven, project, symlinks=True)
    for shard in ("shard1", "shard2"):  # of two machines, each of which ran other tests
        shutil.copytree(project / "classhook-data", project / shard, symlinks=True)
    for number, file in enumerate(sorted((project / "shard1").glob("*.classhook"))):
        (file if number % 2 else project / "shard2" / file.name).unlink()
    shutil.copy(project / "jacoco.exec", project / "target")
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "src")
    git(project, "commit", "-qm", "all")
    git(project, "update-ref", "refs/remotes/origin/main", "HEAD")
    words = command.split()
    done = subprocess.run(
        [*classhook_command(), *words[1:]],
        cwd=project,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr
