import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

public class UseOkHttp {
    public static void main(String[] args) throws Exception {
        try (Server server = new Server()) {
            OkHttpClient client = new OkHttpClient();
            Request get = new Request.Builder().url(server.url).build();
            for (int i = 0; i < 3; i++) client.newCall(get).execute().close();
            client.newCall(get.newBuilder().post(RequestBody.create("x".getBytes())).build()).execute().close();
            client.newCall(new Request.Builder().url(server.url + "/old").build()).execute().close();
            CountDownLatch answered = new CountDownLatch(1);
            client.newCall(get).enqueue(new Callback() {
                @Override
                public void onFailure(Call call, IOException e) {
                    e.printStackTrace();
                    answered.countDown();
                }

                @Override
                public void onResponse(Call call, Response response) {
                    response.close();
                    answered.countDown();
                }
            });
            answered.await();
        }
    }
}
