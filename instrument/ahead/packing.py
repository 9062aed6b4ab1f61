"""Entries of jars, compressed before they are written: processes that weave compress, too, and the one that writes has
little to do."""

from __future__ import annotations

import zipfile
import zlib
from typing import NamedTuple

LEVEL = 1
KNOWN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Packed(NamedTuple):
    """An entry's content as a jar has it, its checksum and its size."""

    data: bytes
    crc: int
    size: int


def pack(data: bytes, method: int) -> Packed | None:
    """None if zipfile has to compress it."""
    if method not in KNOWN:
        return None
    content = data
    if method == zipfile.ZIP_DEFLATED:
        deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        content = deflate.compress(data) + deflate.flush()
    return Packed(content, zlib.crc32(data), len(data))


def write(jar: zipfile.ZipFile, info: zipfile.ZipInfo, data: bytes, packed: Packed | None) -> None:
    """Adds an entry; `packed`: its content, if it is packed already. zipfile itself writes each head twice, with two
    moves in the file."""
    packed = packed or pack(data, info.compress_type)
    if packed is None:
        jar.writestr(info, data, compress_type=info.compress_type, compresslevel=LEVEL)
        return
    file = jar.fp
    assert file is not None
    info.header_offset, info.flag_bits = file.tell(), 0
    info.CRC, info.file_size, info.compress_size = packed.crc, packed.size, len(packed.data)
    info.external_attr = info.external_attr or 0o600 << 16
    file.write(info.FileHeader())
    file.write(packed.data)
    jar.filelist.append(info)
    jar.NameToInfo[info.filename] = info
    jar.start_dir = file.tell()  # where the directory will be
