"""The class-file format: constant pool, reader, code splicer, stack map frames, writer, text dump.

Nothing is imported here: in the JVM every import counts, so callers name the module that they need.
"""
