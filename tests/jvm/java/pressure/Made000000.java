import java.util.function.IntUnaryOperator;

/** Foundry makes copies of this class under other names. */
public class Made000000 implements IntUnaryOperator {
    Object last;

    int step(int n) {
        last = new Object();
        return n & 1;
    }

    @Override
    public int applyAsInt(int n) {
        int odd = 0;
        for (int i = 0; i < n; i++) odd += step(i);
        return odd;
    }
}
