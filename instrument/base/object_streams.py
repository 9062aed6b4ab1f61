"""The methods that object streams call by name, also private ones (java.io.Serializable, java.io.Externalizable)."""

STREAMS = frozenset(
    {"readObject", "writeObject", "readObjectNoData", "readResolve", "writeReplace", "readExternal", "writeExternal"}
)
