package app.start;

import app.Shop;
import common.Load;
import java.net.URI;
import org.glassfish.jersey.grizzly2.httpserver.GrizzlyHttpServerFactory;
import org.glassfish.jersey.jdkhttp.JdkHttpServerFactory;
import org.glassfish.jersey.server.ResourceConfig;

public class Main {
    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]), port;
        ResourceConfig config = new ResourceConfig(Shop.Orders.class, Shop.Store.class, Shop.Mapper.class, Shop.Writer.class, Shop.Filter.class);
        if (args[0].equals("grizzly"))
            port = GrizzlyHttpServerFactory.createHttpServer(URI.create("http://localhost:0/"), config).getListener("grizzly").getPort();
        else {
            com.sun.net.httpserver.HttpServer server = JdkHttpServerFactory.createHttpServer(URI.create("http://localhost:0/"), config, false);
            if (args[0].equals("virtual"))
                server.setExecutor((java.util.concurrent.Executor) java.util.concurrent.Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
            server.start();
            port = server.getAddress().getPort();
        }
        boolean async = args[0].equals("grizzly"); // the container of the JDK's server does not have it
        if (async) Load.send(port, n, "GET /orders/slow 200", "GET /orders/stage 200");
        Load.send(port, n, "POST /orders 201", "GET /orders/{n} 200", "GET /orders/report 200", "GET /orders/fails 409", "GET /stock/{n} 200",
            "GET /orders/{n}/part 200", "GET /orders/{n}/none 404");
        Load.expect("app.Shop$Orders.place", "leaf", n, "later", n, "after", n);
        Load.expect("app.Shop$Orders.get", "leaf", n, "writes", n, "after", n);
        Load.expect("app.Shop$Orders.report", "leaf", n, "later", n, "after", n);
        if (async) Load.expect("app.Shop$Orders.slow", "leaf", n, "later", n, "writes", n, "after", n);
        if (async) Load.expect("app.Shop$Orders.stage", "leaf", n, "later", n, "writes", n, "after", n);
        Load.expect("app.Shop$Orders.fails", "leaf", n, "later", n, "after", n);
        Load.expect("app.Shop$Store.stock", "leaf", n, "after", n);
        Load.expect("app.Shop$Part.part", "leaf", n, "after", n);
        Load.expect("request", "before", (async ? 8 : 6) * n, "after", n); // nothing is before the filter where no resource fits
        Load.end();
    }
}
