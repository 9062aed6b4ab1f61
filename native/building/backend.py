"""The build backend of pyproject.toml: setuptools', which finds the package in the folder that tree.py makes."""

from __future__ import annotations

import sys
from importlib import import_module

tree = import_module("native.building.tree")  # there is no package of our name yet
sys.path.insert(0, str(tree.make()))

from setuptools.build_meta import *  # noqa: E402, F403
