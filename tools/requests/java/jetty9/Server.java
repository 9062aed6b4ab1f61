package app.start;

import app.Shop;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Servlet;
import java.util.EnumSet;
import java.util.List;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

final class Server {
    static final String NONE = "org.eclipse.jetty.servlet.ServletHandler$Default404Servlet.doGet";

    static int start(boolean virtual) throws Exception {
        QueuedThreadPool pool = new QueuedThreadPool();

        org.eclipse.jetty.server.Server server = new org.eclipse.jetty.server.Server(pool);
        ServerConnector connector = new ServerConnector(server);
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        List<Servlet> servlets = List.of(new Shop.Orders(), new Shop.Slow(), new Shop.Fails(), new Shop.Routes(), new Shop.Bare());
        for (int i = 0; i < servlets.size(); i++) {
            ServletHolder holder = new ServletHolder(servlets.get(i));
            holder.setAsyncSupported(true);
            context.addServlet(holder, Main.PATHS[i]);
        }
        context.addFilter(Shop.Around.class, "/*", EnumSet.of(DispatcherType.REQUEST)).setAsyncSupported(true);
        server.setHandler(context);
        server.start();
        return connector.getLocalPort();
    }
}
