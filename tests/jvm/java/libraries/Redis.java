import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A server that answers as Redis does, as far as clients need: every value is `v`. */
class Redis implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    final int port = socket.getLocalPort();

    Redis() throws IOException {
        start(() -> {
            while (true) {
                Socket client = socket.accept();
                start(() -> serve(client));
            }
        });
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void start(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException closed) {
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void serve(Socket client) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
        OutputStream out = client.getOutputStream();
        int queued = -1;
        for (String line; (line = in.readLine()) != null;) {
            int words = Integer.parseInt(line.substring(1));
            String command = "", argument = "";
            for (int i = 0; i < words; i++) {
                in.readLine();
                String word = in.readLine();
                if (i == 0) command = word.toUpperCase();
                if (i == 1) argument = word;
            }
            String answer = switch (command) {
                case "HELLO" -> "2".equals(argument)
                        ? "*6\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n$5\r\nproto\r\n:2\r\n"
                        : "-ERR unknown command 'HELLO'\r\n";
                case "MULTI" -> "+OK\r\n";
                case "EXEC" -> "*" + queued + "\r\n" + "+OK\r\n".repeat(queued);
                case "GET" -> "$1\r\nv\r\n";
                case "PING" -> "+PONG\r\n";
                default -> "+OK\r\n";
            };
            if (command.equals("MULTI") || command.equals("EXEC")) queued = command.equals("MULTI") ? 0 : -1;
            else if (queued >= 0) {
                queued++;
                answer = "+QUEUED\r\n";
            }
            out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
