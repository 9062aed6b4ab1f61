package suite;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Two classes of tests that share a Spring context, and one whose context cannot be made. */
class SpringTest {
    @Configuration
    static class Shop {
        @Bean
        Object stock() throws Exception {
            Thread.sleep(700);
            SpringTest.leaf();
            return "stock";
        }
    }

    @Configuration
    static class Broken {
        @Bean
        Object stock() { throw new IllegalStateException("no stock"); }
    }

    static void leaf() { }

    @ExtendWith(SpringExtension.class)
    @ContextConfiguration(classes = Shop.class)
    @ActiveProfiles("sale")
    static class ATest {
        @Autowired Object stock;
        @Test void first() { leaf(); }
        @Test void second() { leaf(); leaf(); }
    }

    @ExtendWith(SpringExtension.class)
    @ContextConfiguration(classes = Shop.class)
    @ActiveProfiles("sale")
    static class BTest {
        @Test void third() { leaf(); }
    }

    @ExtendWith(SpringExtension.class)
    @ContextConfiguration(classes = Broken.class)
    static class CTest {
        @Test void fourth() { }
    }
}
