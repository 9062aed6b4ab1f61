"""Tests, and the tools that they share."""

from classhook.native.building import tree

tree.make()  # a room may have been added since the installation
