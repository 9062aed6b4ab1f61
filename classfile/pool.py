"""The constant pool (JVMS 4.4): parsed to a list of positions, read lazily, and append-only.

1. Parsing records where each entry is and which are classes, and checks that entries refer to existing ones; nothing is
   decoded.
2. An added entry gets its position in the finished class: after the unchanged bytes of the old pool, and before the
   rest of the class.
3. Added entries are found again by their bytes, so each is added once; classes are also looked up among the old
   entries.
"""

from __future__ import annotations

from classhook.classfile.errors import ClassFormatError, PoolFull

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from mypy_extensions import i64

UTF8: Final = 1
INTEGER: Final = 3
LONG: Final = 5
DOUBLE: Final = 6
CLASS: Final = 7
NAME_AND_TYPE: Final = 12

MAX_COUNT: Final = 65535
# By tag: bytes of an entry with its tag (Utf8: without its text); 0 for unknown tags (JVMS table 4.4-B).
SIZES: Final = bytes((0, 3, 0, 5, 5, 9, 9, 3, 3, 5, 5, 5, 5, 0, 0, 4, 3, 5, 5, 3, 3)) + bytes(235)
# By tag: where in an entry its last pool index is; if it has two, the first is at 1.
INDEX_AT: Final = bytes((0, 0, 0, 0, 0, 0, 0, 1, 1, 3, 3, 3, 3, 0, 0, 2, 1, 3, 3, 1, 1)) + bytes(235)


class ConstantPool:
    """The pool whose constant_pool_count is at byte `at` of the class `data`; raises ClassFormatError.

    `count` is constant_pool_count including added entries; `end_at` the byte after the old pool.
    """

    __slots__ = (
        "_added",
        "_class_indices",
        "_classes",
        "_raws",
        "_tail",
        "_texts",
        "at",
        "count",
        "data",
        "end_at",
        "offsets",
        "slots",
    )

    def __init__(self, data: bytes, at: int) -> None:
        size = len(data)
        if at < 0 or at + 2 > size:
            raise ClassFormatError("truncated constant pool", at)
        count: i64 = data[at] << 8 | data[at + 1]
        offsets = [0]
        classes: list[int] = []
        self.data: bytes = data
        self.at: int = at
        end: i64 = at + 2
        index: i64 = 1
        sizes = SIZES
        index_at = INDEX_AT
        try:
            while index < count:
                tag: i64 = data[end]
                offsets.append(end)
                if tag == 1:
                    end += 3 + (data[end + 1] << 8 | data[end + 2])
                elif tag == 5 or tag == 6:  # two indices, of which the second is unusable (JVMS 4.4.5)
                    offsets.append(0)
                    index += 1
                    end += 9
                else:
                    length: i64 = sizes[tag]
                    if length == 0:
                        raise ClassFormatError(f"unknown constant pool tag {tag}", end)
                    where: i64 = index_at[tag]
                    if where:
                        if tag == 7:
                            classes.append(index)
                        if (data[end + where] << 8 | data[end + where + 1]) >= count or (
                            9 <= tag <= 12 and (data[end + 1] << 8 | data[end + 2]) >= count
                        ):
                            raise ClassFormatError(f"constant {index} refers to one beyond the pool", end)
                    end += length
                index += 1
        except IndexError:
            raise ClassFormatError("truncated constant pool", end) from None
        if end > size or index > count or count == 0:
            raise ClassFormatError("truncated constant pool", size)
        self.count: int = count
        self.end_at: int = end
        self.offsets: list[int] = offsets
        self.slots: list[int] = []  # by index, used by classfile.flow
        self._class_indices: list[int] = classes
        self._classes: dict[bytes, int] | None = None
        self._tail: bytearray = bytearray()
        self._added: dict[bytes, int] = {}
        # decode each old Utf8 only once, however often it is used: it may have 65,535 bytes
        self._raws: list[bytes | None] = [None] * count
        self._texts: list[str | None] = [None] * count

    # -- reading ------------------------------------------------------------------------------------------------------

    def tag(self, index: int) -> int:
        """The entry's tag; 0 for an index without an entry."""
        if 0 < index < self.count:
            at = self.offsets[index]
            if at >= self.end_at:
                return self._tail[at - self.end_at]
            if at:
                return self.data[at]
        return 0

    def entry(self, index: int) -> bytes:
        """The entry's bytes with its tag."""
        tag = self.tag(index)
        if tag == 0:
            raise ClassFormatError(f"bad constant pool index {index}", self.at)
        at = self.offsets[index]
        source = self.data
        if at >= self.end_at:
            at -= self.end_at
            source = bytes(self._tail)
        size = SIZES[tag]
        if tag == UTF8:
            size += source[at + 1] << 8 | source[at + 2]
        return source[at : at + size]

    def utf8_bytes(self, index: int) -> bytes:
        """The raw modified UTF-8 (JVMS 4.4.7) of a Utf8 entry."""
        old = 0 <= index < len(self._raws)
        raw = self._raws[index] if old else None
        if raw is None:
            if self.tag(index) != UTF8:
                raise ClassFormatError(f"constant pool index {index} is not a Utf8", self.at)
            if not old:
                return self.entry(index)[3:]
            at = self.offsets[index]
            data = self.data
            raw = data[at + 3 : at + 3 + (data[at + 1] << 8 | data[at + 2])]
            self._raws[index] = raw
        return raw

    def utf8(self, index: int) -> str:
        """A Utf8 entry as text; NUL and lone surrogates are kept."""
        old = 0 <= index < len(self._texts)
        text = self._texts[index] if old else None
        if text is None:
            text = decode_utf8(self.utf8_bytes(index), self.offsets[index])
            if old:
                self._texts[index] = text
        return text

    def _operand(self, index: int, tag: int, what: str, at: int) -> int:
        """The u2 at byte `at` of entry `index`, which must have this tag."""
        if self.tag(index) != tag:
            raise ClassFormatError(f"constant pool index {index} is not a {what}", self.at)
        entry = self.entry(index)
        return entry[at] << 8 | entry[at + 1]

    def class_name_bytes(self, index: int) -> bytes:
        """A Class entry's name in internal form (java/lang/Object, [I), raw."""
        return self.utf8_bytes(self._operand(index, CLASS, "Class", 1))

    def class_name(self, index: int) -> str:
        """A Class entry's name in internal form (java/lang/Object, [I)."""
        return self.utf8(self._operand(index, CLASS, "Class", 1))

    def name_and_type(self, index: int) -> tuple[bytes, bytes]:
        """Name and descriptor, raw, of a Fieldref, Methodref, InterfaceMethodref, Dynamic or InvokeDynamic entry."""
        tag = self.tag(index)
        if not 9 <= tag <= 11 and not 17 <= tag <= 18:
            raise ClassFormatError(f"constant pool index {index} has no name and type", self.at)
        pair = self._operand(index, tag, "member", 3)
        name = self._operand(pair, NAME_AND_TYPE, "NameAndType", 1)
        return self.utf8_bytes(name), self.utf8_bytes(self._operand(pair, NAME_AND_TYPE, "NameAndType", 3))

    # -- adding -------------------------------------------------------------------------------------------------------

    def _add(self, entry: bytes) -> int:
        index = self._added.get(entry)
        if index is None:
            index = self.count
            if index >= MAX_COUNT:
                raise PoolFull("constant pool")
            self.offsets.append(self.end_at + len(self._tail))
            self._tail += entry
            self._added[entry] = index
            self.count = index + 1
        return index

    def add_utf8(self, raw: bytes) -> int:
        """The index of a Utf8 entry with this modified UTF-8. This and the other add methods raise PoolFull."""
        if len(raw) > 65535:
            raise PoolFull("Utf8 longer than 65,535 bytes")
        return self._add(b"\x01" + len(raw).to_bytes(2, "big") + raw)

    def add_integer(self, number: int) -> int:
        """The index of an Integer entry (32 bits, signed or not)."""
        return self._add(b"\x03" + (number & 0xFFFFFFFF).to_bytes(4, "big"))

    def add_class(self, name: bytes) -> int:
        """The index of a Class entry with this internal name, an old entry if possible."""
        classes = self._classes
        if classes is None:
            classes = self._classes = self._old_classes()
        found = classes.get(name)
        if found is None:
            found = self._add(b"\x07" + self.add_utf8(name).to_bytes(2, "big"))
            classes[name] = found
        return found

    def _old_classes(self) -> dict[bytes, int]:
        data = self.data
        offsets = self.offsets
        found: dict[bytes, int] = {}
        for index in self._class_indices:
            at = offsets[index]
            found[self.utf8_bytes(data[at + 1] << 8 | data[at + 2])] = index
        return found

    def add_name_and_type(self, name: bytes, descriptor: bytes) -> int:
        """The index of a NameAndType entry."""
        return self._add(b"\x0c" + (self.add_utf8(name) << 16 | self.add_utf8(descriptor)).to_bytes(4, "big"))

    def add_method_ref(self, owner: bytes, name: bytes, descriptor: bytes) -> int:
        """The index of a Methodref entry for a method of the class with internal name `owner`."""
        pair = self.add_name_and_type(name, descriptor)
        return self._add(b"\x0a" + (self.add_class(owner) << 16 | pair).to_bytes(4, "big"))

    def add_field_ref(self, owner: bytes, name: bytes, descriptor: bytes) -> int:
        """The index of a Fieldref entry for a field of the class with internal name `owner`."""
        pair = self.add_name_and_type(name, descriptor)
        return self._add(b"\x09" + (self.add_class(owner) << 16 | pair).to_bytes(4, "big"))

    def add_string(self, raw: bytes) -> int:
        """The index of a String entry with this modified UTF-8."""
        return self._add(b"\x08" + self.add_utf8(raw).to_bytes(2, "big"))

    def add_float(self, raw: bytes) -> int:
        """The index of a Float entry with these four bytes."""
        return self._add(b"\x04" + raw)

    def add_long(self, number: int) -> int:
        """The index of a Long entry (64 bits, signed)."""
        return self._add_wide(b"\x05" + (number & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "big"))

    def add_double(self, raw: bytes) -> int:
        """The index of a Double entry with these eight bytes."""
        return self._add_wide(b"\x06" + raw)

    def _add_wide(self, entry: bytes) -> int:
        """An entry that takes two indices, of which the second is unusable (JVMS 4.4.5)."""
        known = entry in self._added
        if not known and self.count + 1 >= MAX_COUNT:
            raise PoolFull("constant pool")
        index = self._add(entry)
        if not known:
            self.offsets.append(0)
            self.count += 1
        return index

    def reserve_integers(self, number: int, base: int = 0) -> int:
        """Appends Integer entries base, base + 1, ... base + number - 1, never shared with others; the index of the
        first."""
        first = self.count
        if first + number > MAX_COUNT:
            raise PoolFull("constant pool")
        at = self.end_at + len(self._tail)
        for value in range(number):
            self.offsets.append(at + 5 * value)
            self._tail += b"\x03" + (base + value).to_bytes(4, "big")
        self.count = first + number
        return first

    def integer_value_at(self, index: int) -> int:
        """The byte, in the finished class, where the Integer entry's 4-byte value begins."""
        if self.tag(index) != INTEGER:
            raise ClassFormatError(f"constant pool index {index} is not an Integer", self.at)
        return self.offsets[index] + 1

    def to_bytes(self) -> bytes:
        """constant_pool_count and all entries, old bytes first."""
        return self.count.to_bytes(2, "big") + self.data[self.at + 2 : self.end_at] + self._tail


def decode_utf8(raw: bytes, where: int) -> str:
    """Modified UTF-8 as text; raises ClassFormatError naming byte `where`."""
    if raw.isascii():
        return raw.decode("ascii")
    import mutf8  # type: ignore[import-untyped]  # imported here: only a few classes need it

    try:
        text: str = mutf8.decode_modified_utf8(raw)
    except UnicodeDecodeError:
        raise ClassFormatError("malformed modified UTF-8", where) from None
    return text
