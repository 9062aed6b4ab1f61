"""The script that `classhook run --tests` runs in each JVM."""

from classhook.testing.hooks import install

install()
