package till;

/** Is set up before the tests. */
class Drawer {
    final boolean open;

    Drawer() {
        open = true;
    }
}
