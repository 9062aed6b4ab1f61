package suite;

import net.jqwik.api.*;

class PropertyTest {
    static void leaf() {}

    @Property(tries = 20) void often(@ForAll int number) { leaf(); }
    @Example boolean fails() { leaf(); return false; }
}
