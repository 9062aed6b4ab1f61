import java.util.*;
/** Contexts that values name: of an argument, a field, `this`. */
public class ContextKeys {
    enum Kind { GET, POST }
    static class Request { String path; Kind kind; int tenant; Request(String p, Kind k, int t) { path = p; kind = k; tenant = t; } }
    final String name; ContextKeys(String n) { name = n; }
    static int leaf() { return 1; }
    static void byPath(long ignored, Request r) { leaf(); }
    static void byNumber(int n, double d) { leaf(); leaf(); }
    void byThis(String s) { leaf(); leaf(); leaf(); }
    public static void main(String[] a) {
        for (int i = 0; i < 300; i++) {
            byPath(i, i % 10 == 9 ? null : new Request(i % 3 == 0 ? "/orders" : "/users é", i % 2 == 0 ? Kind.GET : Kind.POST, i % 4));
            byNumber(i % 5, 0.5); new ContextKeys("shop" + i % 2).byThis("x");
        }
    }
}
