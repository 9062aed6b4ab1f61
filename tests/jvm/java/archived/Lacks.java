/** A class that cannot be linked without another one, which may be missing. */
final class Lacks extends Base {
    static int late(Missing given) {
        return number(given);
    }

    static int number(Thread thread) { // whether Missing is one is checked when this class is linked
        return thread.getPriority();
    }
}

class Base {
}

class Missing extends Thread {
}
