import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Two servlets behind a filter, and what is asked of them. */
class Shop {
    public static class Orders extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().println("an order");
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            request.getRequestDispatcher("/parts").forward(request, response);
        }
    }

    public static class Parts extends HttpServlet {
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            super.service(request, response);
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {}

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) {}
    }

    public static class Guard implements Filter {
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws IOException, ServletException {
            chain.doFilter(request, response);
        }
    }

    /** 3 requests for orders, and 1 that makes one, by way of the parts; 2 for parts. */
    static void ask(int port) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        URI root = URI.create("http://localhost:" + port);
        for (String path : new String[] {"/orders/1", "/orders/2", "/orders/3", "/parts", "/parts"})
            client.send(HttpRequest.newBuilder(root.resolve(path)).build(), HttpResponse.BodyHandlers.discarding());
        HttpRequest post = HttpRequest.newBuilder(root.resolve("/orders")).POST(HttpRequest.BodyPublishers.ofString("x")).build();
        client.send(post, HttpResponse.BodyHandlers.discarding());
    }
}
