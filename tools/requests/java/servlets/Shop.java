package app;

import jakarta.servlet.*;
import jakarta.servlet.http.*;
import java.io.IOException;
import java.util.concurrent.*;

/** Servlets: plain, asynchronous, with a service method of its own, behind a filter. */
public class Shop {
    static final ExecutorService POOL = Executors.newFixedThreadPool(4);

    static void leaf() {}

    static void later() {}

    static void before() {}

    static void after() {}

    public static class Orders extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            leaf();
            response.getWriter().print("orders");
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            leaf();
            try {
                POOL.submit(Shop::later).get();
            } catch (InterruptedException | ExecutionException e) {
                throw new IOException(e);
            }
            response.setStatus(201);
        }
    }

    public static class Slow extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            leaf();
            AsyncContext async = request.startAsync();
            async.start(() -> {
                later();
                async.complete();
            });
        }
    }

    public static class Fails extends HttpServlet {
        @Override
        protected void doPut(HttpServletRequest request, HttpServletResponse response) {
            leaf();
            throw new IllegalStateException("as it should");
        }
    }

    /** As servlets that route by themselves do. */
    public static class Routes extends HttpServlet {
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {
            leaf();
        }
    }

    /** Not of HTTP's class. */
    public static class Bare extends GenericServlet {
        @Override
        public void service(ServletRequest request, ServletResponse response) {
            leaf();
        }
    }

    public static class Around implements Filter {
        @Override
        public void init(FilterConfig config) {}

        @Override
        public void destroy() {}

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws IOException, ServletException {
            before();
            try {
                chain.doFilter(request, response);
            } finally {
                after();
            }
        }
    }
}
