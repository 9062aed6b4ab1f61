import java.time.LocalDate;
import java.util.Optional;

/** Flattened values: in fields, in elements and in each other. */
public class Values {
    static value class Code {
        String text;

        Code(String text) {
            this.text = text;
        }
    }

    static value class Small {
        short x;
        byte y;

        Small(int x) {
            this.x = (short) x;
            this.y = 1;
        }
    }

    static value class Outer {
        Small small;

        Outer(Small small) {
            this.small = small;
        }
    }

    static value class Wide {
        long a;
        long b = 2;

        Wide(long a) {
            this.a = a;
        }
    }

    static class Holder {
        Small small;
        Code code;
        Outer outer;
        Wide wide;
        Integer number;
        Optional<Object> maybe;
        Small none;
        Object any;
        int tail;

        Holder(int i) {
            small = new Small(i);
            code = new Code("code " + i);
            outer = new Outer(new Small(i));
            wide = new Wide(i);
            number = i;
            maybe = Optional.of(new StringBuilder());
            any = new Small(i);
        }
    }

    static class Single extends Holder {
        Byte tiny = 3;
        byte plain;

        Single() {
            super(1);
        }
    }

    static Object[] kept;

    public static void main(String[] arguments) throws Exception {
        Holder[] holders = new Holder[100];
        Small[] smalls = new Small[50];
        Code[] codes = new Code[50];
        Integer[] numbers = new Integer[1000];
        for (int i = 0; i < 100; i++) holders[i] = new Holder(i);
        for (int i = 0; i < 49; i++) smalls[i] = new Small(i);
        for (int i = 1; i < 50; i++) codes[i] = new Code("element " + i);
        for (int i = 0; i < 999; i++) numbers[i] = i * 1000;
        Optional<?>[] optionals = new Optional<?>[7];
        optionals[3] = Optional.of("optional");
        LocalDate[] dates = {LocalDate.of(2020, 1, 1), null};
        Byte[] bytes = {1, 2, 3, null, null, null, null, null, null};
        Object[] objects = {new Small(1), 5, new Wide(1)};
        kept = new Object[] {holders, smalls, codes, numbers, optionals, dates, bytes, objects, new Single(), new Integer[777], new Wide[5]};
        System.out.println("pid " + ProcessHandle.current().pid());
        System.in.read();
    }
}
