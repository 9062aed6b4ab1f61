import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** As that of Spring. */
@Retention(RetentionPolicy.RUNTIME)
@interface GetMapping {
    String value();
}
