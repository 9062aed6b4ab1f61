"""Static fields: by which methods their values may change after their class was initialised.

A method may change a field, or what it refers to, if

1. it sets the field, or may do so by reflection (reflective.py);
2. it changes something that the field may refer to (effects);
3. it passes something on to one of these, which may keep that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from classhook.extensions.selection import settings
from classhook.extensions.selection.effects.changes import Changes
from classhook.extensions.selection.effects.places import numbers
from classhook.extensions.selection.effects.walk import UNKNOWN, Reachable
from classhook.extensions.selection.facts import CLINIT, FINAL, STATIC, ClassFacts
from classhook.extensions.selection.fixed_types import PLAIN, is_fixed
from classhook.extensions.selection.hierarchy import Hierarchy, MethodName
from classhook.extensions.selection.reflective import Reflective

Field = tuple[str, str]  # the class that declares it, and its name


class StaticState:
    """`names`: the methods that ran."""

    def __init__(self, classes: dict[str, ClassFacts], hierarchy: Hierarchy, names: list[MethodName]) -> None:
        self.classes = classes
        self.hierarchy = hierarchy
        self.names = names
        self._known: dict[str, bool] = {}
        self.reflective = Reflective(classes, names)
        self.changers = self._direct(names)
        #: final ones that reflection may set all the same
        self.constants = {
            (owner, name) for owner, name in self.reflective.settable if classes[owner].fields[name][0] & FINAL
        }
        self.parts: dict[Field, frozenset[object]] = {}  # what each field may refer to and may change
        self._callers: dict[str, list[tuple[str, int]]] = {}
        for number, (owner, member) in enumerate(names):
            for of, called, _ in classes[owner].methods[member].calls:
                self._callers.setdefault(called, []).append((of, number))
        initialisers = {owner: number for number, (owner, member) in enumerate(names) if member == CLINIT}
        changes = Changes(classes, hierarchy, names, self.reflective)
        reachable = Reachable(changes)
        self._effects = changes.placing.own.effects
        self._setters: dict[tuple[str | None, str], set[int]] = {}  # of fields of objects
        for number, method in enumerate(names):
            for of, put in self._effects(*method).puts:
                self._setters.setdefault((hierarchy.field_owner(of, put), put), set()).add(number)
        within: dict[Field, set[str]] = {}
        for owner, facts in classes.items():
            for name, (flags, _) in facts.fields.items():
                if flags & STATIC:
                    found = self.changers.setdefault((owner, name), set())
                    changing, self.parts[owner, name], within[owner, name] = reachable.of(owner, name)
                    found |= changing - {initialisers.get(owner)}
        known: dict[tuple[frozenset[int], frozenset[str]], set[int]] = {}
        for one, direct in self.changers.items():
            alike = frozenset(direct), frozenset(within.get(one, ()))
            if alike not in known:
                known[alike] = self._with_givers(*alike)
            self.changers[one] = known[alike]

    def type_of(self, one: Field) -> str:
        return settings.TYPE if one == settings.PROPERTIES else self.classes[one[0]].fields[one[1]][1]

    def declared(self, members: Iterable[Field]) -> list[Field]:
        """The program's own static fields among these that code names, by the class that declares them."""
        found = []
        for owner, name in members:
            declaring = owner if (owner, name) == settings.PROPERTIES else self.hierarchy.field_owner(owner, name)
            if declaring is not None:
                found.append((declaring, name))
        return found

    # ---- which may change

    def is_fixed(self, descriptor: str) -> bool:
        """True if values of this type, and all that they refer to, never change."""
        if descriptor not in self._known:
            seen, todo = {descriptor}, [descriptor]
            while todo:
                one = todo.pop()
                if is_fixed(one):
                    continue
                inner = self._types_within(one)
                if inner is None:
                    self._known[descriptor] = False
                    return False
                todo += inner - seen
                seen |= inner
            self._known[descriptor] = True
        return self._known[descriptor]

    def _types_within(self, descriptor: str) -> set[str] | None:
        """The types of the fields of a class; None if the class is unknown or a field is not final."""
        name, found = descriptor[1:-1], set[str]()
        if descriptor[0] != "L" or name not in self.classes:
            return None
        for one in (name, *self.hierarchy.above(name), *self.hierarchy.below(name)):
            if one not in self.classes:
                if one not in PLAIN:
                    return None
                continue
            for flags, inner in self.classes[one].fields.values():
                if not flags & STATIC:
                    if not flags & FINAL:
                        return None
                    found.add(inner)
        return found

    # ---- by which methods

    def _direct(self, names: list[MethodName]) -> dict[Field, set[int]]:
        """The methods that set each field, or may do so by reflection."""
        found: dict[Field, set[int]] = {}
        for number, (owner, member) in enumerate(names):
            for one in self.declared(self.classes[owner].methods[member].writes):
                if member != CLINIT or one[0] != owner:
                    found.setdefault(one, set()).add(number)
        for one in self.reflective.settable:
            found.setdefault(one, set()).update(self.reflective.setters)
        return found

    def _with_givers(self, changing: frozenset[int], within: frozenset[str]) -> set[int]:
        """These methods, and those that decide what one of them does: they compute an argument, its object or whether
        they call it, or give it their object, which it passes on, or set a field of its object. `within`: the classes
        of what the static field refers to, whose fields are no other matter."""
        found, todo = set(changing), [*changing]
        while todo:
            number = todo.pop()
            owner, member = self.names[number]
            effects = self._effects(owner, member)
            givers = {
                caller
                for of, caller in self._callers.get(member, ())
                if self._meet(of, owner) and (effects.leaks or self._effects(*self.names[caller]).gives((of, member)))
            }
            if number in changing and owner not in within:
                for of, name in effects.reads:
                    givers |= self._setters.get((self.hierarchy.field_owner(of, name), name), set())
            new = {giver for giver in givers - found if self.names[giver][1] != CLINIT}
            found |= new
            todo += new
        return found

    def _meet(self, called: str, owner: str) -> bool:
        """True if a call of a method of a class may reach another class."""
        return (
            called == owner
            or called not in self.classes
            or bool({called, *self.hierarchy.below(called)} & {owner, *self.hierarchy.below(owner)})
        )

    def leave_out(self, together: Sequence[int], count: int) -> None:
        """Leaves out methods where they ran only in tests that cannot have got at what a field refers to: no method
        that ran there reads or sets this field, or another one that may refer to the same. `together`: the methods
        that ran in each test, a bit for each, of so many."""
        tests_of = transposed(together, count)
        touching: dict[Field, int] = {}
        for number, (owner, member) in enumerate(self.names):
            facts = self.classes[owner].methods[member]
            for one in self.declared(facts.reads | facts.writes):
                touching[one] = touching.get(one, 0) | tests_of[number]
        for number in self.reflective.setters | self.reflective.readers:
            for one in self.reflective.fields:
                touching[one] = touching.get(one, 0) | tests_of[number]
        by_part: dict[object, int] = {}
        for one, parts in self.parts.items():
            for part in parts:
                by_part[part] = by_part.get(part, 0) | touching.get(one, 0)
        anywhere = 0
        for tests in touching.values():
            anywhere |= tests
        for one, changers in self.changers.items():
            parts = self.parts.get(one, frozenset())
            there = anywhere if UNKNOWN in parts else touching.get(one, 0) | by_part.get(UNKNOWN, 0)
            for part in parts:
                there |= by_part[part]
            self.changers[one] = {number for number in changers if tests_of[number] & there}


def transposed(rows: Sequence[int], columns: int) -> list[int]:
    """For each column the rows that have a bit there."""
    found = [0] * columns
    for i, row in enumerate(rows):
        for column in numbers(row):
            found[column] |= 1 << i
    return found
