import java.util.logging.Level;
import java.util.logging.Logger;

public class UseJul {
    public static void main(String[] args) {
        Logger logger = Logger.getLogger("shop.Orders");
        for (int i = 0; i < 3; i++) {
            logger.info("placed");
            logger.fine("not seen");
        }
        logger.log(Level.WARNING, "late", new Exception());
        Logger.getLogger("shop.Stock").log(Level.INFO, "a {0}", 1);
    }
}
