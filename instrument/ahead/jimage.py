"""Reads classes from a JDK's image, the file lib/modules.

1. A header gives the sizes of the tables that follow: redirects, offsets, locations, strings; then come the resources.
2. A resource's name, `/module/package/Class.class`, is hashed; the redirect at that place is its place, or the seed of
   a second hash.
3. A location is a list of attributes: a byte with kind and length, then the value.
4. `/packages/NAME` says which modules have a package, each with a number: whether nothing of the package is there, or
   from version 1.1 on flags.
5. The forms of classes with preview features are in /module/META-INF/preview (JDK 28 and later); they are not read.

The form is the JDK's own (src/java.base/share/native/libjimage/imageFile.hpp): version 1.0 in JDK 9 to 26, 1.1 in JDK
27 and later. Resources that jlink compressed are read if it used `zip`.
"""

from __future__ import annotations

import mmap
import os
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from struct import calcsize, error, unpack_from

MAGIC = 0xCAFEDADA
HEADER = "=7I"
MULTIPLIER = 0x01000193
END, MODULE, PARENT, BASE, EXTENSION, OFFSET, COMPRESSED, UNCOMPRESSED = range(8)
KINDS = 32  # of attributes, as far as the byte can tell; an unknown kind is passed over
FLAGS, HAS_RESOURCES = 0x10001, 4  # the version from which a module of a package has flags, and one of these
PREVIEW = "META-INF/preview"
COMPRESSED_MAGIC, COMPRESSED_HEADER = 0xCAFEFAFA, "=IQQIIB"


def find() -> Path | None:
    """The image of the JDK in JAVA_HOME, or of the `java` in PATH; None if there is none."""
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    if java := shutil.which("java"):
        homes.append(Path(java).resolve().parent.parent)
    return next((image for home in homes if (image := home / "lib" / "modules").is_file()), None)


def opened() -> Image | None:
    """Opens the image; None if there is none that can be read."""
    image = find()
    try:
        return Image(image) if image is not None else None
    except (OSError, ValueError, error):
        return None


class Image:
    """An open image. Raises OSError or ValueError if it cannot be read."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, self._version, _, _, self._length, locations, strings = unpack_from(HEADER, self._data)
        if magic != MAGIC or not self._length:
            raise ValueError(f"{path} is not a JDK's image")
        self._redirect_at = calcsize(HEADER)
        self._offsets_at = self._redirect_at + 4 * self._length
        self._locations_at = self._offsets_at + 4 * self._length
        self._strings_at = self._locations_at + locations
        self._resources_at = self._strings_at + strings

    def class_bytes(self, name: str) -> bytes | None:
        """The class file of this internal name; None if the JDK has no such class, or it cannot be read."""
        try:
            return self._class_bytes(name)
        except (error, IndexError, ValueError, zlib.error):
            return None  # the image is damaged

    def class_names(self) -> Iterator[str]:
        """The dotted names of all classes, in no order. Raises ValueError or IndexError if the image is damaged."""
        for offset in unpack_from(f"={self._length}I", self._data, self._offsets_at):
            location = self._location(offset)
            folder = self._string(location[PARENT])
            if location[MODULE] and self._string(location[EXTENSION]) == "class" and not folder.startswith(PREVIEW):
                package = folder.replace("/", ".")
                yield f"{package}{package and '.'}{self._string(location[BASE])}"

    def _class_bytes(self, name: str) -> bytes | None:
        package, _, simple = name.rpartition("/")
        modules = self._resource(f"/packages/{package.replace('/', '.')}") or b""
        for at in range(0, len(modules) - 7, 8):
            number, string = unpack_from("=II", modules, at)
            if number & HAS_RESOURCES if self._version >= FLAGS else not number:
                return self._resource(f"/{self._string(string)}/{package}/{simple}.class")
        return None

    def _resource(self, path: str) -> bytes | None:
        name = path.encode("utf-8", "surrogatepass")
        redirect = unpack_from("=i", self._data, self._redirect_at + 4 * (_hash(name, MULTIPLIER) % self._length))[0]
        if not redirect:
            return None
        index = -1 - redirect if redirect < 0 else _hash(name, redirect) % self._length
        location = self._location(unpack_from("=I", self._data, self._offsets_at + 4 * index)[0])
        if self._name(location) != path:
            return None
        at = self._resources_at + location[OFFSET]
        if not location[COMPRESSED]:
            return self._data[at : at + location[UNCOMPRESSED]]
        return self._decompressed(self._data[at : at + location[COMPRESSED]])

    def _location(self, offset: int) -> list[int]:
        found = [0] * KINDS
        at = self._locations_at + offset
        while kind := self._data[at] >> 3:
            length = (self._data[at] & 7) + 1
            found[kind] = int.from_bytes(self._data[at + 1 : at + 1 + length], "big")
            at += 1 + length
        return found

    def _name(self, location: list[int]) -> str:
        module, parent, base, extension = (self._string(location[kind]) for kind in (MODULE, PARENT, BASE, EXTENSION))
        return f"{module and '/' + module + '/'}{parent and parent + '/'}{base}{extension and '.' + extension}"

    def _string(self, offset: int) -> str:
        at = self._strings_at + offset
        return self._data[at : self._data.find(b"\0", at)].decode("utf-8", "surrogatepass")

    def _decompressed(self, data: bytes) -> bytes | None:
        while len(data) >= calcsize(COMPRESSED_HEADER):
            magic, size, _, name, _, _ = unpack_from(COMPRESSED_HEADER, data)
            if magic != COMPRESSED_MAGIC:
                break
            if self._string(name) != "zip":
                return None
            data = zlib.decompress(data[calcsize(COMPRESSED_HEADER) :][:size])
        return data


def _hash(name: bytes, seed: int) -> int:
    for byte in name:
        seed = (seed * MULTIPLIER ^ byte) & 0xFFFFFFFF
    return seed & 0x7FFFFFFF
