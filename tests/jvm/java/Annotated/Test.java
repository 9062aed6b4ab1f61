import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for that of JUnit: stock rules name annotations without packages. */
@Retention(RetentionPolicy.RUNTIME)
@interface Test {}
