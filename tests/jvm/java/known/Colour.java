package known;

/** `values` is called twice in Switches, once for the map of its switch and once by Enum.valueOf. Of an enum in the same file javac 26 makes no map. */
enum Colour { // <clinit> calls 1; $values calls 1; values calls 4; valueOf calls 1; <init> calls 3
    RED,
    GREEN,
    BLUE
}
