import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.StringReader;
import java.util.List;
import java.util.Map;

public class UseJackson2 {
    public record Order(String name, List<Integer> amounts) {}

    public static void main(String[] args) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        String text = mapper.writeValueAsString(new Order("a", List.of(1, 2)));
        mapper.writeValueAsBytes(new Order("b", List.of()));
        mapper.writerWithDefaultPrettyPrinter().writeValueAsString(new Order("c", List.of()));
        mapper.writeValueAsString(Map.of("a", 1));
        mapper.readValue(text, Order.class);
        mapper.readValue(new StringReader(text), Order.class);
        mapper.readerFor(Order.class).readValue(text.getBytes());
        mapper.readValue(text, Map.class);
        mapper.readTree(text);
        System.out.println(text);
    }
}
