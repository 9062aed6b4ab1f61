"""What methods may change after it was made: fields of objects, elements of arrays, and objects of libraries, such as
collections.

1. The interpreter follows the values of a method along its paths (interpreter.py, values.py): an object that the method
   made itself and gave to nobody is nobody's state yet, and what a constructor sets in its own object is not changed.
2. Tables say which arguments a library's methods change, and which they keep (library.py). In doubt they do both.
3. A collection or array that only one field of one class ever refers to is told apart from all others (owned.py).
4. What a static field may refer to follows from types (reachable.py). A method changes the state of the field if it
   changes something of that.
"""
