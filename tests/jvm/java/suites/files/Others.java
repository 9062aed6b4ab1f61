package other;

/** Classes whose files are read, and one that is loaded. */
class Read {
    static final String TEXT = "before";
}

class Found {
    static final String TEXT = "before";
}

class Loaded {
    static final String TEXT = "before";
}
