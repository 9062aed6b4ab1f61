"""The class-file format: constant pool, reader, code splicer, stack map frames, writer, text dump.

Nothing is imported here: in the JVM every import costs time, so callers import the module that they need.
"""
