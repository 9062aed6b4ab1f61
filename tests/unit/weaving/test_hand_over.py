"""The classes that hand over contexts: Python weaves them, and C lets them through."""

import re
from pathlib import Path

from classhook.weaving import hand_over


def test_c_and_python_name_the_same_classes() -> None:
    text = (Path(__file__).parents[3] / "native" / "classes" / "eligible_classes.c").read_text()
    tables = re.findall(r"of_(?:jdk|libraries)\[\] = \{(.*?)\}", text, re.DOTALL)
    named = {name.replace("/", ".") for table in tables for name in re.findall(r'"([^"]+)"', table)}
    assert named == hand_over.CLASSES
