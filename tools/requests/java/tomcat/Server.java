package app.start;

import app.Shop;
import jakarta.servlet.Servlet;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

final class Server {
    static final String NONE = "";

    static int start(boolean virtual) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.setPort(0);
        if (virtual)
            tomcat.getConnector().getProtocolHandler().setExecutor((Executor) java.util.concurrent.Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
        Context context = tomcat.addContext("", null);
        List<Servlet> servlets = List.of(new Shop.Orders(), new Shop.Slow(), new Shop.Fails(), new Shop.Routes(), new Shop.Bare());
        for (int i = 0; i < servlets.size(); i++) {
            Tomcat.addServlet(context, Main.PATHS[i], servlets.get(i)).setAsyncSupported(true);
            context.addServletMappingDecoded(Main.PATHS[i], Main.PATHS[i]);
        }
        FilterDef filter = new FilterDef();
        filter.setFilterName("around");
        filter.setFilter(new Shop.Around());
        filter.setAsyncSupported("true");
        context.addFilterDef(filter);
        FilterMap map = new FilterMap();
        map.setFilterName("around");
        map.addURLPattern("/*");
        context.addFilterMap(map);
        tomcat.start();
        return tomcat.getConnector().getLocalPort();
    }
}
