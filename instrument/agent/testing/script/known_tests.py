"""The script that `classhook run --tests` runs in each JVM."""

from classhook.agent.testing.hooks import install

install()
