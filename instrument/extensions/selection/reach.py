"""The dependencies of a test besides the methods that ran in it: the code that made the static state that it may see.

A class is initialised once, in whichever test comes first; a cache is filled once. Later tests use that state, and run
none of the code that made it. So a test that ran a method also depends on

- the static initialiser of each class that the method names, and of its supertypes;
- for each static field that the method reads and that may change later, the methods that may have changed it;

and on all that these may have called, according to the class files, as far as it ran in the same tests as they did. A
call may reach each override of the method, a library may call the methods of an object that it is passed, and
reflection may call anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from classhook.extensions.selection.facts import CLINIT, PRIVATE, STATIC, ClassFacts, Member, MethodFacts
from classhook.extensions.selection.hierarchy import COMMON, Hierarchy, MethodName
from classhook.extensions.selection.reflective_calls import calls_any
from classhook.extensions.selection.static_state import StaticState


class Reach:
    """Dependencies of methods through static state. `tests`: the methods that ran in each test, and outside of all;
    `steady`: static fields that did not change, but for these classes'
    initialisers."""

    def __init__(
        self,
        classes: dict[str, ClassFacts],
        tests: Sequence[set[MethodName]],
        steady: Mapping[Member, Collection[str]] | None = None,
    ) -> None:
        self.classes = classes
        self.hierarchy = Hierarchy(classes)
        ran = {name for test in tests for name in test}
        self.names = sorted(one for one in ran if one[0] in classes and one[1] in classes[one[0]].methods)
        self.number = {name: i for i, name in enumerate(self.names)}
        self.by_member: dict[str, list[int]] = {}
        for i, (_, member) in enumerate(self.names):
            self.by_member.setdefault(member, []).append(i)
        self.state = StaticState(classes, self.hierarchy, self.names)
        self.together = [self.bits(test) for test in tests]
        self.state.leave_out(self.together, len(self.names))
        self._calls: dict[int, list[int]] = {}
        self._reached: dict[MethodName, list[int]] = {}
        self._states: dict[tuple[int, bool], list[int]] = {}
        self._below: dict[int, int] = {}
        self._following: dict[int, int] = {}
        self._closures: dict[int, int] = {}
        self._seen: dict[int, int] = {}
        self._made: dict[int, int] = {}
        self.changers = self._seen_changers(steady or {})

    def _seen_changers(self, steady: Mapping[Member, Collection[str]]) -> dict[Member, set[int]]:
        """The methods that changed each field as tests found it: only initialisers changed the steady ones. If an
        initialiser cannot have changed a field that changed while it ran, another thread did, and the field is not
        steady."""
        found = dict(self.state.changers)
        for one, owners in steady.items():
            numbers = {self.number.get((owner, CLINIT)) for owner in owners}
            changers = found.get(one, set())
            if one not in self.state.constants and all(
                number is not None and not changers.isdisjoint(bits(self.below(number))) for number in numbers
            ):
                found[one] = {number for number in numbers if number is not None}
        return found

    def bits(self, names: Iterable[MethodName]) -> int:
        found = 0
        for name in names:
            if name in self.number:
                found |= 1 << self.number[name]
        return found

    def facts(self, number: int) -> MethodFacts:
        owner, member = self.names[number]
        return self.classes[owner].methods[member]

    def state_of(self, number: int, in_test: bool = False) -> list[int]:
        """The initialisers and changers of static state that a method may see, as tests find it, or also as it is
        within a test (`in_test`), where what changed may be restored later."""
        known = self._states.get((number, in_test))
        if known is not None:
            return known
        facts, owner = self.facts(number), self.names[number][0]
        named = {owner, *facts.classes}
        for one in [*named]:
            named.update(self.hierarchy.above(one))
        found = [self.number[one, CLINIT] for one in named if (one, CLINIT) in self.number]
        fields = self.state.declared(facts.reads)
        if number in self.state.reflective.readers:
            fields += self.state.reflective.fields
            found += [self.number[owner, CLINIT] for owner, _ in fields if (owner, CLINIT) in self.number]
        for field in fields:
            found += (self.state.changers if in_test else self.changers).get(field, ())
        self._states[number, in_test] = found
        return found

    def calls(self, number: int) -> list[int]:
        """The methods that a method may have called; a library may have called them on objects that the method made."""
        known = self._calls.get(number)
        if known is None:
            facts, found = self.facts(number), set[int]()
            for owner, member, is_virtual in facts.calls:
                target = self.hierarchy.resolve(owner, member)
                if target in self.number:
                    found.add(self.number[target])
                if is_virtual:
                    found.update(self._overrides(owner, member))
            for made in facts.made:
                found.update(self._called_back(made))
            known = self._calls[number] = sorted(found)
        return known

    def _overrides(self, owner: str, member: str) -> list[int]:
        """The methods that a call may reach, by the receiver's class. Libraries' types may be related in ways that are
        not known."""
        if owner not in self.classes:
            return self.by_member.get(member, [])
        key = (owner, member)
        if key not in self._reached:
            found = {self.hierarchy.resolve(one, member) for one in self.hierarchy.below(owner)}
            self._reached[key] = [self.number[one] for one in found if one in self.number]
        return self._reached[key]

    def _called_back(self, made: str) -> list[int]:
        """Methods of an object that a library may call."""
        if made not in self.classes:
            return []
        known, found = self.hierarchy.called_by_libraries(made), []
        for one in (made, *self.hierarchy.above(made)):
            if one in self.classes:
                for member, facts in self.classes[one].methods.items():
                    number = self.number.get((one, member))
                    if (
                        number is not None
                        and not facts.flags & (PRIVATE | STATIC)
                        and (known is None or member in COMMON or member.partition("(")[0] in known)
                        and member[0] != "<"
                    ):
                        found.append(number)
        return found

    def beside(self, number: int) -> int:
        """All methods that ran in the tests in which a method ran: its callees are among them."""
        found = 0
        for together in self.together:
            if together >> number & 1:
                found |= together
        return found

    def below(self, start: int) -> int:
        """All that may have run below a method."""
        known = self._below.get(start)
        if known is None:
            beside, seen, todo = self.beside(start), 1 << start, [start]
            while todo:
                one = todo.pop()
                if any(owner not in self.classes and calls_any(owner, of) for owner, of, _ in self.facts(one).calls):
                    seen |= beside
                    break
                for called in self.calls(one):
                    if beside >> called & 1 and not seen >> called & 1:
                        seen |= 1 << called
                        todo.append(called)
            known = self._below[start] = seen
        return known

    def starts(self, ran: Iterable[MethodName]) -> int:
        """The initialisers and changers of the static state that these methods may see, and of what those saw: a bit
        for each."""
        found = 0
        for name in ran:
            if name in self.number:
                found |= self._seen_by(self.number[name])
        return found

    def made_by(self, starts: int) -> int:
        """All that ran below these methods: a bit for each."""
        if starts not in self._made:
            found = 0
            for start in bits(starts):
                found |= self.below(start)
            self._made[starts] = found
        return self._made[starts]

    def _seen_by(self, number: int) -> int:
        """The initialisers and changers of the state that a method may see, and of what those saw."""
        if number not in self._seen:
            found = 0
            for start in self.state_of(number):
                found |= self._closed(start)
            self._seen[number] = found
        return self._seen[number]

    def _closed(self, start: int) -> int:
        """An initialiser or changer, and those of the state that it saw, of what those saw, and so on."""
        known = self._closures.get(start)
        if known is None:
            known, todo = 1 << start, [start]
            while todo:
                one = todo.pop()
                closed = self._closures.get(one)
                new = (self._next(one) if closed is None else closed) & ~known
                known |= new
                if closed is None:
                    todo += bits(new)
            self._closures[start] = known
        return known

    def _next(self, start: int) -> int:
        """The initialisers and changers of the state that may have been seen below a method."""
        known = self._following.get(start)
        if known is None:
            known, in_test = 0, self.names[start][1] != CLINIT  # what is steady is so when an initialiser begins
            for number in bits(self.below(start)):
                for one in self.state_of(number, in_test):
                    known |= 1 << one
            self._following[start] = known
        return known

    def depends(self, ran: Collection[MethodName]) -> int:
        """All methods that a test depends on which ran these: a bit for each."""
        return self.made_by(self.starts(ran)) | self.bits(ran)


def bits(set_: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    digits = f"{set_:b}"[::-1]  # each shift of a long number would copy it
    at = digits.find("1")
    while at >= 0:
        yield at
        at = digits.find("1", at + 1)
