package site;

import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.startup.Tomcat;

/** Tomcat with the web application of a folder, on a free port: serves one request and ends. */
public final class Site {
    private Site() {
    }

    public static void main(String[] args) throws Exception {
        Logger.getLogger("").setLevel(Level.WARNING);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0]);
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.setAddDefaultWebXmlToWebapp(false); // it requires a JSP compiler
        tomcat.addWebapp("", Path.of(args[1]).toAbsolutePath().toString());
        tomcat.start();
        URI uri = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/hello");
        try (InputStream answer = uri.toURL().openStream()) {
            System.out.print(new String(answer.readAllBytes()));
        }
        tomcat.stop();
        tomcat.destroy();
    }
}
