package suite;

import io.cucumber.java.Before;
import io.cucumber.java.BeforeAll;
import io.cucumber.java.en.Given;
import io.cucumber.java.en.Then;

public class Steps {
    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    @BeforeAll public static void all() { leaves(1000); }
    @Before public void before() { leaves(10); }
    @Given("{int} leaves") public void given(int n) { leaves(n); }
    @Then("it fails") public void fails() { throw new AssertionError("no"); }
}
