"""Where the built libraries are."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent

#: The agent that a JVM loads by ``-agentpath:``.
AGENT = HERE / "libclasshook.so"

#: The library behind it, which embeds Python; the agent opens it when a class must be woven for the first time.
EMBEDDING = HERE / "libclasshook_python.so"
