import java.nio.file.Files;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

public class UseTomcat {
    public static void main(String[] arguments) throws Exception {
        Tomcat tomcat = new Tomcat();
        String folder = Files.createTempDirectory("tomcat").toString();
        tomcat.setBaseDir(folder);
        tomcat.setPort(0);
        Context context = tomcat.addContext("", folder);
        Tomcat.addServlet(context, "orders", new Shop.Orders());
        Tomcat.addServlet(context, "parts", new Shop.Parts());
        context.addServletMappingDecoded("/orders/*", "orders");
        context.addServletMappingDecoded("/parts", "parts");
        FilterDef guard = new FilterDef();
        guard.setFilterName("guard");
        guard.setFilter(new Shop.Guard());
        FilterMap all = new FilterMap();
        all.setFilterName("guard");
        all.addURLPattern("/*");
        context.addFilterDef(guard);
        context.addFilterMap(all);
        tomcat.getConnector();
        tomcat.start();
        Shop.ask(tomcat.getConnector().getLocalPort());
        tomcat.stop();
        tomcat.destroy();
    }
}
