"""Finds what methods may change in existing state: fields of objects, elements of arrays, and objects of libraries,
such as collections.

1. The interpreter follows the values of a method along its paths (interpreter.py, tracking.py, calls.py): an object
   that the method made itself and gave to nobody is nobody's state yet, and what a constructor sets in its own object
   is not changed.
2. Tables say which arguments a library's methods change, and which they keep (library.py). In doubt they do both.
3. Where objects may be follows from that for the whole program (placing.py, places.py), and so what each method changes
   (changes.py).
4. A method changes the state of a static field if it changes something that the field may refer to (walk.py).
"""
