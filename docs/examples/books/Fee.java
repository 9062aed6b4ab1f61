package books;

/** What a payment costs. */
interface Fee {
    int of(int cents);

    record Flat(int fee) implements Fee {
        public int of(int cents) {
            return fee;
        }
    }

    record Percent(int percent) implements Fee {
        public int of(int cents) {
            return cents * percent / 100;
        }
    }

    record None() implements Fee {
        public int of(int cents) {
            return 0;
        }
    }
}
