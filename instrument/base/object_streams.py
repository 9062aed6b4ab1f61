"""What object streams call by name, also if it is private (java.io.Serializable, java.io.Externalizable)."""

STREAMS = frozenset(
    {"readObject", "writeObject", "readObjectNoData", "readResolve", "writeReplace", "readExternal", "writeExternal"}
)
