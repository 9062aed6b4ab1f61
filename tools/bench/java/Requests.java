import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.Arrays;

/** So many requests a second, one after another at each of several services, which take turns to be the first. Prints a line after a time to warm up, and one
 * after each period: for each service the median and the 99th percentile of the requests' times in microseconds. */
public class Requests {
    static long ask(int port, int number) throws Exception {
        long began = System.nanoTime();
        HttpURLConnection connection = (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/" + number).openConnection();
        try (InputStream answer = connection.getInputStream()) {
            answer.readAllBytes();
        }
        return System.nanoTime() - began;
    }

    /** `from`, `to`: which of the rounds. */
    static long[][] rounds(int[] ports, int rate, int from, int to) throws Exception {
        long[][] times = new long[ports.length][to - from];
        long began = System.nanoTime();
        for (int i = from; i < to; i++) {
            for (int j = 0; j < ports.length; j++) {
                int which = (i + j) % ports.length;
                times[which][i - from] = ask(ports[which], i);
            }
            long left = began + (i - from + 1) * 1_000_000_000L / rate - System.nanoTime();
            if (left > 0) Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
        }
        return times;
    }

    public static void main(String[] args) throws Exception {
        int rate = Integer.parseInt(args[0]), warmUp = Integer.parseInt(args[1]), seconds = Integer.parseInt(args[2]), periods = Integer.parseInt(args[3]);
        int[] ports = Arrays.stream(args).skip(4).mapToInt(Integer::parseInt).toArray();
        int next = warmUp * rate;
        rounds(ports, rate, 0, next);
        System.out.println("warm");
        for (int i = 0; i < periods; i++) {
            StringBuilder line = new StringBuilder();
            for (long[] one : rounds(ports, rate, next, next + seconds * rate)) {
                Arrays.sort(one);
                line.append(one[one.length / 2] / 1e3).append(' ').append(one[(int) (one.length * 0.99)] / 1e3).append(' ');
            }
            System.out.println(line);
            next += seconds * rate;
        }
    }
}
