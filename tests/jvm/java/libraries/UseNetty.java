import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A server that sends back what it gets: 2 connections, on each 5 messages of 10 bytes. */
public class UseNetty {
    static class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    static class Task implements Runnable {
        @Override
        public void run() {}
    }

    public static void main(String[] arguments) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        Channel server = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class).childHandler(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new FixedLengthFrameDecoder(10), new Echo());
            }
        }).bind("localhost", 0).sync().channel();
        for (int i = 0; i < 2; i++) {
            try (Socket socket = new Socket("localhost", ((InetSocketAddress) server.localAddress()).getPort())) {
                for (int n = 0; n < 5; n++) {
                    socket.getOutputStream().write(new byte[10]);
                    socket.getInputStream().readNBytes(10);
                }
            }
        }
        for (int i = 0; i < 3; i++) group.submit(new Task()).sync();
        for (int i = 0; i < 2; i++) group.next().execute(new Task());
        group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
    }
}
