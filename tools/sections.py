"""A page with several writers: a section stands between two marker lines, and the writer of the rest of the page keeps
it."""

from __future__ import annotations

import re

SECTION = re.compile(r"^<!-- ([\w-]+): begin -->\n.*?^<!-- \1: end -->\n", re.MULTILINE | re.DOTALL)


def sections(page: str) -> dict[str, str]:
    """Name -> section, including its two marker lines."""
    return {found[1]: found[0] for found in SECTION.finditer(page)}


def with_section(page: str, name: str, text: str) -> str:
    """The page with this text in that section; a new section is added at the end."""
    new, old = f"<!-- {name}: begin -->\n{text.rstrip()}\n<!-- {name}: end -->\n", sections(page).get(name)
    return page.replace(old, new) if old else f"{page.rstrip()}\n\n{new}".lstrip()


def with_sections_of(before: str, page: str) -> str:
    """A new page without sections, plus the sections of the old page."""
    return "\n\n".join([page.rstrip(), *(section.rstrip() for section in sections(before).values())]) + "\n"
