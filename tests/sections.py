"""A page of several writers: a section stands between two lines that name it, and who writes the rest of the page takes it over."""

from __future__ import annotations

import re

SECTION = re.compile(r"^<!-- ([\w-]+): begin -->\n.*?^<!-- \1: end -->\n", re.MULTILINE | re.DOTALL)


def sections(page: str) -> dict[str, str]:
    """Name -> section, its two lines with it."""
    return {found[1]: found[0] for found in SECTION.finditer(page)}


def with_section(page: str, name: str, text: str) -> str:
    """The page with this text in that section, which comes last where there was none."""
    new, old = f"<!-- {name}: begin -->\n{text.rstrip()}\n<!-- {name}: end -->\n", sections(page).get(name)
    return page.replace(old, new) if old else f"{page.rstrip()}\n\n{new}".lstrip()


def with_sections_of(before: str, page: str) -> str:
    """A new page, which has no sections, with those that it had before."""
    return "\n\n".join([page.rstrip(), *(section.rstrip() for section in sections(before).values())]) + "\n"
