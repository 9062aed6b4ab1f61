/** Sleeps in many virtual threads at once, so that each carrier has several of them. */
final class Naps {
    static void nap() throws InterruptedException {
        Thread.sleep(20);
    }

    static void naps() {
        try {
            for (int i = 0; i < 5; i++) nap();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Base base(Lacks lacks) { // that it is one is checked when this class is linked, which loads Lacks and does not link it
        return lacks;
    }

    public static void main(String[] args) throws Exception {
        Thread[] all = new Thread[Integer.parseInt(args[0])];
        for (int i = 0; i < all.length; i++) { // found by reflection: this is compiled for 17
            all[i] = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) Naps::naps);
        }
        for (Thread thread : all) thread.join();
        if (args.length > 1) System.out.println(Uses.late(3));
    }
}

class Uses {
    static int late(int times) {
        int sum = 0;
        for (int i = 0; i < times; i++) sum += Lacks.late(new Missing());
        return sum;
    }
}
