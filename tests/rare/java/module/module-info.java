/** A module with a class that the test calls. */
@Deprecated
module rare.inside {
    requires java.base;
    exports rare.inside;
}
