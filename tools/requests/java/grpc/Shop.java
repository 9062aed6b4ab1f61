package app;

import io.grpc.*;
import io.grpc.stub.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.*;

/** A service as protoc's plugin generates it, with strings as messages: all four kinds of calls, an interceptor, an answer from another thread. */
public class Shop {
    static final ExecutorService POOL = Executors.newFixedThreadPool(4);

    static void leaf() {}

    static void later() {}

    static void before() {}

    static void item() {}

    static void sums() {}

    static class Strings implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static MethodDescriptor<String, String> method(MethodDescriptor.MethodType type, String name) {
        return MethodDescriptor.<String, String>newBuilder().setType(type).setFullMethodName("shop.Orders/" + name)
            .setRequestMarshaller(new Strings()).setResponseMarshaller(new Strings()).build();
    }

    public static final MethodDescriptor<String, String> PLACE = method(MethodDescriptor.MethodType.UNARY, "Place"),
        SLOW = method(MethodDescriptor.MethodType.UNARY, "Slow"), LIST = method(MethodDescriptor.MethodType.SERVER_STREAMING, "List"),
        SUM = method(MethodDescriptor.MethodType.CLIENT_STREAMING, "Sum"), TALK = method(MethodDescriptor.MethodType.BIDI_STREAMING, "Talk");

    /** What the plugin generates. */
    public interface AsyncService {
        void place(String request, StreamObserver<String> responses);

        void slow(String request, StreamObserver<String> responses);

        void list(String request, StreamObserver<String> responses);

        StreamObserver<String> sum(StreamObserver<String> responses);

        StreamObserver<String> talk(StreamObserver<String> responses);
    }

    public abstract static class OrdersImplBase implements BindableService, AsyncService {
        @Override
        public final ServerServiceDefinition bindService() {
            return ServerServiceDefinition.builder("shop.Orders")
                .addMethod(PLACE, ServerCalls.asyncUnaryCall(this::place))
                .addMethod(SLOW, ServerCalls.asyncUnaryCall(this::slow))
                .addMethod(LIST, ServerCalls.asyncServerStreamingCall(this::list))
                .addMethod(SUM, ServerCalls.asyncClientStreamingCall(this::sum))
                .addMethod(TALK, ServerCalls.asyncBidiStreamingCall(this::talk)).build();
        }
    }

    public static class Orders extends OrdersImplBase {
        @Override
        public void place(String request, StreamObserver<String> responses) {
            leaf();
            responses.onNext(request);
            responses.onCompleted();
        }

        @Override
        public void slow(String request, StreamObserver<String> responses) {
            leaf();
            POOL.execute(() -> {
                later();
                responses.onNext(request);
                responses.onCompleted();
            });
        }

        @Override
        public void list(String request, StreamObserver<String> responses) {
            leaf();
            for (int i = 0; i < 5; i++) responses.onNext(request);
            responses.onCompleted();
        }

        @Override
        public StreamObserver<String> sum(StreamObserver<String> responses) {
            leaf();
            return new StreamObserver<>() {
                @Override
                public void onNext(String value) {
                    item();
                }

                @Override
                public void onError(Throwable t) {}

                @Override
                public void onCompleted() {
                    sums();
                    responses.onNext("sum");
                    responses.onCompleted();
                }
            };
        }

        @Override
        public StreamObserver<String> talk(StreamObserver<String> responses) {
            leaf();
            return new StreamObserver<>() {
                @Override
                public void onNext(String value) {
                    item();
                    POOL.execute(() -> {
                        later();
                        synchronized (responses) {
                            responses.onNext(value);
                        }
                    });
                }

                @Override
                public void onError(Throwable t) {}

                @Override
                public void onCompleted() {
                    sums();
                    synchronized (responses) {
                        responses.onCompleted();
                    }
                }
            };
        }
    }

    public static class Around implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            before();
            return next.startCall(call, headers);
        }
    }
}
