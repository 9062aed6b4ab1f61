"""The tests with JDKs that are newer than those of this machine, in a root folder with Debian's packages: ``python -m
tools.next_jdks``."""
