/** Tests and an endpoint, by their annotations. */
public class Annotated {
    static int leaf() {
        return 1;
    }

    @Test
    void one() {
        leaf();
    }

    @Test
    void two() {
        leaf();
        leaf();
    }

    @GetMapping("/x")
    String get(String id) {
        for (int i = 0; i < 3; i++) leaf();
        return id;
    }

    public static void main(String[] args) {
        Annotated all = new Annotated();
        for (int i = 0; i < 10; i++) {
            all.one();
            all.two();
            all.get("x");
            leaf();
        }
    }
}
