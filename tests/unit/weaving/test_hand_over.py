"""The classes that hand over contexts: Python weaves them, and C lets them through."""

import re

from classhook.weaving import hand_over
from tests.conftest import UNIT


def test_c_and_python_name_the_same_classes() -> None:
    text = (UNIT.parents[1] / "native" / "classes" / "eligible_classes.c").read_text()
    tables = re.findall(r"of_(?:jdk|libraries)\[\] = \{(.*?)\}", text, re.DOTALL)
    named = {name.replace("/", ".") for table in tables for name in re.findall(r'"([^"]+)"', table)}
    assert named == hand_over.CLASSES
