import jakarta.servlet.DispatcherType;
import java.util.EnumSet;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

public class UseJetty {
    public static void main(String[] arguments) throws Exception {
        Server server = new Server(0);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(new Shop.Orders(), "/orders/*");
        context.addServlet(new Shop.Parts(), "/parts");
        context.addFilter(new Shop.Guard(), "/*", EnumSet.of(DispatcherType.REQUEST));
        server.setHandler(context);
        server.start();
        Shop.ask(((ServerConnector) server.getConnectors()[0]).getLocalPort());
        server.stop();
    }
}
