package common;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Clients whose number of requests is known, and what the program expects a report to say. */
public final class Load {
    private Load() {}

    /** Sends so many requests to each path, by four clients in turn. */
    public static void send(int port, int each, String... paths) throws Exception {
        AtomicInteger next = new AtomicInteger();
        Throwable[] wrong = {null};
        Thread[] clients = new Thread[4];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new Thread(() -> {
                HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
                try {
                    for (int n; (n = next.getAndIncrement()) < each * paths.length; ) {
                        String[] request = paths[n % paths.length].split(" ");
                        URI uri = URI.create("http://localhost:" + port + request[1].replace("{n}", "" + n));
                        HttpRequest.Builder builder = HttpRequest.newBuilder(uri).method(request[0],
                            request[0].equals("GET") ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString("item"));
                        int status = client.send(builder.header("Content-Type", "text/plain").timeout(Duration.ofSeconds(60)).build(), HttpResponse.BodyHandlers.ofString()).statusCode();
                        if (status != Integer.parseInt(request[2])) throw new IllegalStateException(uri + ": " + status);
                    }
                } catch (Throwable t) {
                    wrong[0] = t;
                }
            });
            clients[i].start();
        }
        for (Thread client : clients) client.join();
        if (wrong[0] != null) {
            wrong[0].printStackTrace();
            Runtime.getRuntime().exit(1); // although the server's threads run
        }
    }

    /** Method and number of calls in a context; "-": outside of contexts. */
    public static void expect(String context, Object... calls) {
        for (int i = 0; i < calls.length; i += 2) System.out.println("expect\t" + context + "\t" + calls[i] + "\t" + calls[i + 1]);
    }

    /** Ends the program with its pools and threads. */
    public static void end() {
        System.out.flush();
        Runtime.getRuntime().exit(0);
    }
}
