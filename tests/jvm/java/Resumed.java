import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Calls a suspend function that Kotlin's compiler made, twice; it waits for three jobs each time. */
public class Resumed {
    public static void main(String[] arguments) throws Exception {
        Class<?> continuation = Class.forName("kotlin.coroutines.Continuation"), job = Class.forName("kotlinx.coroutines.Job");
        Object context = Class.forName("kotlin.coroutines.EmptyCoroutineContext").getField("INSTANCE").get(null);
        Method joinAll = Class.forName("kotlinx.coroutines.AwaitKt").getMethod("joinAll", Array.newInstance(job, 0).getClass(), continuation);
        Method newJob = Class.forName("kotlinx.coroutines.JobKt").getMethod("Job", job);
        Method complete = Class.forName("kotlinx.coroutines.CompletableJob").getMethod("complete");
        for (int round = 0; round < 2; round++) {
            Object jobs = Array.newInstance(job, 3);
            for (int i = 0; i < 3; i++) Array.set(jobs, i, newJob.invoke(null, new Object[] {null}));
            Object end = Proxy.newProxyInstance(Resumed.class.getClassLoader(), new Class<?>[] {continuation}, (proxy, method, values) -> {
                if (method.getName().equals("getContext")) return context;
                System.out.println(method.getName());
                return null;
            });
            joinAll.invoke(null, jobs, end);
            for (int i = 0; i < 3; i++) complete.invoke(Array.get(jobs, i));
        }
    }
}
