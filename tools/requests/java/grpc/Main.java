package app.start;

import app.Shop;
import common.Load;
import io.grpc.*;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.*;
import java.util.Iterator;
import java.util.concurrent.*;

public class Main {
    /** Sends five messages, and ends when five (or one) have come back. */
    static void stream(Channel channel, MethodDescriptor<String, String> method, int answers) throws Exception {
        CountDownLatch came = new CountDownLatch(answers), done = new CountDownLatch(1);
        StreamObserver<String> back = new StreamObserver<>() {
            @Override
            public void onNext(String value) {
                came.countDown();
            }

            @Override
            public void onError(Throwable t) {
                t.printStackTrace();
                done.countDown();
            }

            @Override
            public void onCompleted() {
                done.countDown();
            }
        };
        ClientCall<String, String> call = channel.newCall(method, CallOptions.DEFAULT);
        StreamObserver<String> to = answers > 1 ? ClientCalls.asyncBidiStreamingCall(call, back) : ClientCalls.asyncClientStreamingCall(call, back);
        for (int i = 0; i < 5; i++) to.onNext("item");
        if (answers > 1) came.await();
        to.onCompleted();
        done.await();
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[1]);
        NettyServerBuilder builder = NettyServerBuilder.forPort(0).addService(new Shop.Orders()).intercept(new Shop.Around());
        if (args[0].equals("direct")) builder.directExecutor();
        if (args[0].equals("virtual")) builder.executor((Executor) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
        Server server = builder.build().start();
        ManagedChannel channel = NettyChannelBuilder.forAddress("localhost", server.getPort()).usePlaintext().build();
        for (int i = 0; i < n; i++) {
            ClientCalls.blockingUnaryCall(channel, Shop.PLACE, CallOptions.DEFAULT, "one");
            ClientCalls.blockingUnaryCall(channel, Shop.SLOW, CallOptions.DEFAULT, "one");
            for (Iterator<String> all = ClientCalls.blockingServerStreamingCall(channel, Shop.LIST, CallOptions.DEFAULT, "one"); all.hasNext(); ) all.next();
            stream(channel, Shop.SUM, 1);
            stream(channel, Shop.TALK, 5);
        }
        Load.expect("app.Shop$Orders.place", "leaf", n);
        Load.expect("app.Shop$Orders.slow", "leaf", n, "later", n);
        Load.expect("app.Shop$Orders.list", "leaf", n);
        Load.expect("app.Shop$Orders.sum", "leaf", n, "item", 5 * n, "sums", n);
        Load.expect("app.Shop$Orders.talk", "leaf", n, "item", 5 * n, "later", 5 * n, "sums", n);
        Load.expect("request", "before", 5 * n);
        Load.end();
    }
}
