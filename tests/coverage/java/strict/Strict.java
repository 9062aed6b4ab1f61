import java.util.List;

/** All that can run does. */
public class Strict {
    enum Colour { RED, GREEN, BLUE }

    sealed interface Shape permits Circle, Square, Dot {
    }

    record Circle(int radius) implements Shape {
    }

    record Square(int side) implements Shape {
    }

    record Dot() implements Shape {
    }

    static int jacocoTwoCasesInOne(Colour colour) {
        return switch (colour) {
            case RED:
            case GREEN:
                nothing();
            case BLUE:
                yield 1;
        };
    }

    static String jacocoFinallyAfterSwitch(int i) {
        try {
            switch (i) {
                case 0:
                    return "0";
                case 1:
                    return "1";
            }
        } finally {
            System.out.print(i == 0);
        }
        return "";
    }

    static void jacocoSwitchLeavesLoop() {
        loop:
        for (int i = 0; ; i++) {
            try {
                switch (i) {
                    case 1:
                        nothing();
                        break;
                    case 5:
                        break loop;
                    default:
                        break;
                }
                nothing();
            } finally {
                System.out.print(i == 0);
            }
        }
    }

    static int jacocoAllConstants(Colour colour) {
        int result = 0;
        switch (colour) {
            case RED:
                result = 1;
                break;
            case GREEN:
                result = 2;
                break;
            case BLUE:
                result = 3;
                break;
        }
        return result;
    }

    static int someConstants(Colour colour) {
        int result = 0;
        switch (colour) {
            case RED:
                result = 1;
                break;
            case GREEN:
                result = 2;
                break;
        }
        return result;
    }

    static int sealedTypes(Shape shape) {
        return switch (shape) {
            case Circle(int radius) when radius > 3 -> 1;
            case Circle c -> c.radius();
            case Square(int side) -> side;
            case Dot d -> 0;
        };
    }

    static void nothing() {
    }

    public static void main(String[] args) {
        for (Colour colour : Colour.values()) {
            System.out.print(jacocoTwoCasesInOne(colour) + jacocoAllConstants(colour) + someConstants(colour));
        }
        for (int i = 0; i < 3; i++) {
            System.out.print(jacocoFinallyAfterSwitch(i));
        }
        jacocoSwitchLeavesLoop();
        for (Shape shape : List.of(new Circle(5), new Circle(1), new Square(2), new Dot())) {
            System.out.print(sealedTypes(shape));
        }
    }
}
