import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.StringReader;
import java.io.StringWriter;

public class UseGson {
    static class Order {
        String name = "a";
        int[] amounts = {1, 2};
    }

    public static void main(String[] args) {
        Gson gson = new Gson();
        String text = gson.toJson(new Order());
        gson.toJson(new Order(), new StringWriter());
        gson.toJson(new Order(), Order.class);
        JsonElement tree = JsonParser.parseString(text);
        gson.toJson(tree);
        gson.fromJson(text, Order.class);
        gson.fromJson(new StringReader(text), Order.class);
        gson.fromJson(tree, Order.class);
        System.out.println(text);
    }
}
