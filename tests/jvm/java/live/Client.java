import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicLong;

/** Client PORT PATH THREADS REQUESTS: sends so many requests, or, for 0, until its input ends; prints how many were answered, how many failed, and
 * the longest time in ms. */
public class Client {
    public static void main(String[] a) throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + a[0] + a[1])).build();
        int threads = Integer.parseInt(a[2]);
        long wanted = Long.parseLong(a[3]);
        AtomicLong begun = new AtomicLong(), well = new AtomicLong(), failed = new AtomicLong(), longest = new AtomicLong();
        boolean[] stop = {false};
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(() -> {
                while (!stop[0] && (wanted == 0 || begun.getAndIncrement() < wanted)) {
                    long start = System.nanoTime();
                    try {
                        boolean right = http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 200;
                        (right ? well : failed).incrementAndGet();
                    } catch (Exception e) {
                        failed.incrementAndGet();
                    }
                    longest.accumulateAndGet(System.nanoTime() - start, Math::max);
                }
            });
            all[i].start();
        }
        while (wanted == 0 && System.in.read() >= 0) {}
        stop[0] = wanted == 0;
        for (Thread one : all) one.join();
        System.out.println(well + " " + failed + " " + longest.get() / 1000000);
        System.exit(0);
    }
}
