import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall;
import io.grpc.ForwardingServerCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/** 3 calls of Place, of which 1 fails; 1 of Place that is waited for elsewhere; 2 of List, which answer with 3 messages; interceptors on both sides. */
public class UseGrpc {
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

    static class ByServer implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            return next.startCall(new ForwardingServerCall.SimpleForwardingServerCall<>(call) {}, headers);
        }
    }

    static class ByClient implements ClientInterceptor {
        @Override
        public <Q, R> ClientCall<Q, R> interceptCall(MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
            return new ForwardingClientCall.SimpleForwardingClientCall<>(next.newCall(method, options)) {};
        }
    }

    static MethodDescriptor<String, String> method(MethodDescriptor.MethodType type, String name) {
        return MethodDescriptor.<String, String>newBuilder()
                .setType(type)
                .setFullMethodName("shop.Orders/" + name)
                .setRequestMarshaller(new Strings())
                .setResponseMarshaller(new Strings())
                .build();
    }

    static final MethodDescriptor<String, String> PLACE = method(MethodDescriptor.MethodType.UNARY, "Place");
    static final MethodDescriptor<String, String> LIST = method(MethodDescriptor.MethodType.SERVER_STREAMING, "List");

    static ServerServiceDefinition service() {
        return ServerServiceDefinition.builder("shop.Orders")
                .addMethod(PLACE, ServerCalls.asyncUnaryCall((request, answer) -> {
                    if (request.isEmpty()) {
                        answer.onError(Status.INVALID_ARGUMENT.asRuntimeException());
                        return;
                    }
                    answer.onNext("placed " + request);
                    answer.onCompleted();
                }))
                .addMethod(LIST, ServerCalls.asyncServerStreamingCall((request, answer) -> {
                    for (int i = 0; i < 3; i++) answer.onNext("order " + i);
                    answer.onCompleted();
                }))
                .build();
    }

    public static void main(String[] arguments) throws Exception {
        Server server = InProcessServerBuilder.forName("shop").addService(service()).intercept(new ByServer()).build().start();
        ManagedChannel channel = InProcessChannelBuilder.forName("shop").intercept(new ByClient()).build();
        for (String item : new String[] {"a", "b", ""}) {
            try {
                ClientCalls.blockingUnaryCall(channel, PLACE, CallOptions.DEFAULT, item);
            } catch (StatusRuntimeException expected) {
            }
        }
        ClientCalls.futureUnaryCall(channel.newCall(PLACE, CallOptions.DEFAULT), "later").get();
        for (int i = 0; i < 2; i++) {
            Iterator<String> orders = ClientCalls.blockingServerStreamingCall(channel, LIST, CallOptions.DEFAULT, "all");
            while (orders.hasNext()) orders.next();
        }
        channel.shutdown().awaitTermination(10, TimeUnit.SECONDS);
        server.shutdown().awaitTermination();
    }
}
