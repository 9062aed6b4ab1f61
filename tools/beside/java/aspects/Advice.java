package aspects;

import java.util.concurrent.atomic.AtomicInteger;
import org.aspectj.lang.annotation.After;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;

/** The advice that AspectJ weaves into Hello. */
@Aspect
public final class Advice {
    private final AtomicInteger steps = new AtomicInteger();

    @Before("execution(* hello.Worker.step(..))")
    public void step() {
        steps.incrementAndGet();
    }

    @After("execution(* hello.Hello.text())")
    public void text() {
        System.out.println("advised " + steps + " times");
    }
}
