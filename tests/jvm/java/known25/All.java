package known25;

/** Programs that need Java 25: statements before super(); the comments are explained in known/All.java. */
final class All {
    static class Base {
        final int n;

        Base(int n) { // calls 5 exceptions 1
            this.n = n;
            if (n == 6) throw new IllegalStateException("base");
        }
    }

    /** What throws before super() has no end; a loop, a try and a branch there. */
    static class Early extends Base {
        final int digits;

        Early(int n) { // calls 6 completed 4 exceptions 1
            int k = 0;
            for (int i = n; i > 0; i /= 10) k++;
            try {
                if (n == 3) throw new NumberFormatException();
                k += Integer.parseInt("7");
            } catch (NumberFormatException e) {
                k = -1;
            }
            digits = k;
            if (n < 0) throw new IllegalArgumentException("early");
            super(n);
            if (n == 4) throw new IllegalStateException("late");
        }
    }

    public static void main(String[] args) { // calls 1
        for (int n : new int[] {-1, 1, 3, 4, 60, 6}) {
            try {
                Early e = new Early(n);
                System.out.println(e.n + " " + e.digits);
            } catch (RuntimeException e) {
                e.printStackTrace();
            }
        }
    }
}
