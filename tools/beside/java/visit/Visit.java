package visit;

import hello.Hello;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Answers a request with Hello's output and the class's loader. */
@WebServlet("/hello")
public final class Visit extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
        try {
            response.getWriter().print(Hello.class.getClassLoader().getClass().getSimpleName() + "\n" + Hello.text());
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }
}
