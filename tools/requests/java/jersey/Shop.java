package app;

import jakarta.ws.rs.*;
import jakarta.ws.rs.container.*;
import jakarta.ws.rs.core.*;
import jakarta.ws.rs.ext.*;
import java.io.*;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.concurrent.*;

/** Resources of JAX-RS: plain, with a writer of its own, asynchronous, by an interface, by a locator, and with an exception that is mapped. */
public class Shop {
    static final ExecutorService POOL = Executors.newFixedThreadPool(4);

    static void leaf() {}

    static void later() {}

    public record Item(String name) {}

    /** Its methods have the annotations; the class that implements it has none. */
    @Path("/stock")
    public interface Stock {
        @GET
        @Path("/{id}")
        String stock(@PathParam("id") String id);
    }

    public static class Store implements Stock {
        @Override
        public String stock(String id) {
            leaf();
            return id;
        }
    }

    public static class Part {
        @GET
        public String part() {
            leaf();
            return "part";
        }
    }

    @Path("/orders")
    public static class Orders {
        @POST
        @Consumes("text/plain")
        public Response place(String body) throws Exception {
            leaf();
            POOL.submit(Shop::later).get();
            return Response.status(201).build();
        }

        @GET
        @Path("/{id}")
        public Item get(@PathParam("id") String id) {
            leaf();
            return new Item(id);
        }

        @GET
        @Path("/report")
        public StreamingOutput report() {
            leaf();
            return out -> {
                later();
                out.write(65);
            };
        }

        @GET
        @Path("/slow")
        public void slow(@Suspended AsyncResponse response) {
            leaf();
            POOL.execute(() -> {
                later();
                response.resume(new Item("slow"));
            });
        }

        @GET
        @Path("/stage")
        public CompletionStage<Item> stage() {
            leaf();
            return CompletableFuture.supplyAsync(() -> {
                later();
                return new Item("stage");
            }, POOL);
        }

        @GET
        @Path("/fails")
        public String fails() {
            leaf();
            throw new IllegalStateException("as it should");
        }

        @Path("/{id}/part")
        public Part locate() {
            return new Part();
        }
    }

    @Provider
    public static class Mapper implements ExceptionMapper<IllegalStateException> {
        @Override
        public Response toResponse(IllegalStateException thrown) {
            later();
            return Response.status(409).build();
        }
    }

    @Provider
    public static class Writer implements MessageBodyWriter<Item> {
        @Override
        public boolean isWriteable(Class<?> type, Type generic, Annotation[] annotations, MediaType media) {
            return type == Item.class;
        }

        @Override
        public void writeTo(Item item, Class<?> type, Type generic, Annotation[] annotations, MediaType media, MultivaluedMap<String, Object> headers, OutputStream out)
                throws IOException {
            writes();
            out.write(item.name().getBytes());
        }

        static void writes() {}
    }

    @Provider
    public static class Filter implements ContainerRequestFilter, ContainerResponseFilter {
        @Override
        public void filter(ContainerRequestContext request) {
            before();
        }

        @Override
        public void filter(ContainerRequestContext request, ContainerResponseContext response) {
            after();
        }

        static void before() {}

        static void after() {}
    }
}
