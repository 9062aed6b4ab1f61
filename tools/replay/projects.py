"""The libraries whose history is replayed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Project:
    """A library in Maven's layout. `inner`: the folder of the module in the repository; `package`: which classes are
    counted; `without`: parts of the paths of tests to leave out; `disabled`: methods of tests that end the whole run."""

    owner: str
    name: str
    package: str
    inner: str = "."
    without: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()

    def path(self, below: str) -> str:
        """A path of the module, in the repository."""
        return below if self.inner == "." else f"{self.inner}/{below}"


PROJECTS = {
    one.name: one
    for one in (
        Project("apache", "commons-cli", "org.apache.commons.cli"),
        Project("apache", "commons-csv", "org.apache.commons.csv", without=("Benchmark", "PerformanceTest")),
        Project(
            "apache",
            "commons-text",
            "org.apache.commons.text",
            without=("jmh/",),
            disabled=("testOutOfMemoryError",),  # JUnit ends after such an error
        ),
        Project("apache", "commons-lang", "org.apache.commons.lang3", without=("jmh/", "Benchmark")),
        Project("apache", "commons-collections", "org.apache.commons.collections4", without=("jmh/",)),
        Project("google", "gson", "com.google.gson", inner="gson"),
        Project("jhy", "jsoup", "org.jsoup"),
    )
}
