package app.start;

import app.Shop;
import common.Load;

public class Main {
    static final String[] PATHS = {"/orders", "/slow", "/fails", "/routes", "/bare"};

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]);
        boolean virtual = args[0].equals("virtual");
        int port = Server.start(virtual);
        Load.send(port, n, "GET /orders 200", "POST /orders 201", "GET /slow 200", "PUT /fails 500", "GET /routes 200", "GET /bare 200", "GET /none 404");
        Load.expect("app.Shop$Orders.doGet", "leaf", n, "after", n);
        Load.expect("app.Shop$Orders.doPost", "leaf", n, "later", n, "after", n);
        Load.expect("app.Shop$Slow.doGet", "leaf", n, "later", n, "after", n);
        Load.expect("app.Shop$Fails.doPut", "leaf", n, "after", n);
        Load.expect("app.Shop$Routes.service", "leaf", n, "after", n);
        Load.expect("app.Shop$Bare.service", "leaf", n, "after", n);
        if (!Server.NONE.isEmpty()) Load.expect(Server.NONE, "after", n); // the container's own servlet answers, behind the filter
        Load.expect("request", "before", (Server.NONE.isEmpty() ? 6 : 7) * n);
        Load.end();
    }
}
