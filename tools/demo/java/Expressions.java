package demo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;

/** Arithmetic expressions: parsed from text, simplified, differentiated, evaluated. */
public final class Expressions {
    private Expressions() {}

    public sealed interface Expression permits Number, Variable, Binary, Negation, Call {
        default Expression plus(Expression other) {
            return new Binary(Operator.ADD, this, other);
        }

        default Expression times(Expression other) {
            return new Binary(Operator.MULTIPLY, this, other);
        }
    }

    public record Number(double value) implements Expression {
        static final Number ZERO = new Number(0);
        static final Number ONE = new Number(1);

        boolean is(double other) {
            return Double.compare(value, other) == 0;
        }
    }

    public record Variable(String name) implements Expression {}

    public record Binary(Operator operator, Expression left, Expression right) implements Expression {}

    public record Negation(Expression operand) implements Expression {}

    public record Call(Function function, List<Expression> arguments) implements Expression {
        public Call {
            if (arguments.size() != function.arity) {
                throw new IllegalArgumentException(function + " takes " + function.arity + " arguments");
            }
            arguments = List.copyOf(arguments);
        }
    }

    public enum Operator {
        ADD('+', 1, Double::sum),
        SUBTRACT('-', 1, (a, b) -> a - b),
        MULTIPLY('*', 2, (a, b) -> a * b),
        DIVIDE('/', 2, (a, b) -> a / b),
        POWER('^', 3, Math::pow);

        final char sign;
        final int binding;
        final DoubleBinaryOperator apply;

        Operator(char sign, int binding, DoubleBinaryOperator apply) {
            this.sign = sign;
            this.binding = binding;
            this.apply = apply;
        }

        static Optional<Operator> of(char sign) {
            for (Operator operator : values()) {
                if (operator.sign == sign) {
                    return Optional.of(operator);
                }
            }
            return Optional.empty();
        }
    }

    public enum Function {
        SQRT(1) {
            @Override
            double call(double[] arguments) {
                return Math.sqrt(arguments[0]);
            }
        },
        MAX(2) {
            @Override
            double call(double[] arguments) {
                return Math.max(arguments[0], arguments[1]);
            }
        };

        final int arity;

        Function(int arity) {
            this.arity = arity;
        }

        abstract double call(double[] arguments);
    }

    public static class SyntaxException extends Exception {
        private static final long serialVersionUID = 1;
        private final int position;

        SyntaxException(String message, int position) {
            super(message + " at " + position);
            this.position = position;
        }

        public int position() {
            return position;
        }
    }

    /** A parser by precedence climbing. */
    private static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        Expression parse() throws SyntaxException {
            Expression whole = binary(0);
            if (peek() != '\0') {
                throw new SyntaxException("unexpected '" + peek() + "'", at);
            }
            return whole;
        }

        private char peek() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return at < text.length() ? text.charAt(at) : '\0';
        }

        private Expression binary(int least) throws SyntaxException {
            Expression left = unary();
            while (true) {
                Optional<Operator> next = Operator.of(peek());
                if (next.isEmpty() || next.get().binding < least) {
                    return left;
                }
                at++;
                Operator operator = next.get();
                int binding = operator == Operator.POWER ? operator.binding : operator.binding + 1;
                left = new Binary(operator, left, binary(binding));
            }
        }

        private Expression unary() throws SyntaxException {
            switch (peek()) {
                case '-':
                    at++;
                    return new Negation(unary());
                case '(':
                    at++;
                    Expression inner = binary(0);
                    expect(')');
                    return inner;
                default:
                    return Character.isDigit(peek()) ? number() : name();
            }
        }

        private Expression number() {
            int start = at;
            while (at < text.length() && (Character.isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
                at++;
            }
            return new Number(Double.parseDouble(text.substring(start, at)));
        }

        private Expression name() throws SyntaxException {
            int start = at;
            while (at < text.length() && Character.isLetter(text.charAt(at))) {
                at++;
            }
            if (start == at) {
                throw new SyntaxException("an operand is missing", at);
            }
            String name = text.substring(start, at);
            if (peek() != '(') {
                return new Variable(name);
            }
            List<Expression> arguments = new ArrayList<>();
            do {
                at++;
                arguments.add(binary(0));
            } while (peek() == ',');
            expect(')');
            try {
                return new Call(Function.valueOf(name.toUpperCase()), arguments);
            } catch (IllegalArgumentException wrong) {
                throw new SyntaxException(wrong.getMessage(), start);
            }
        }

        private void expect(char wanted) throws SyntaxException {
            if (peek() != wanted) {
                throw new SyntaxException("expected '" + wanted + "'", at);
            }
            at++;
        }
    }

    public static Expression parse(String text) throws SyntaxException {
        return new Parser(text).parse();
    }

    public static double evaluate(Expression expression, Map<String, Double> variables) {
        if (expression instanceof Number number) {
            return number.value();
        } else if (expression instanceof Variable variable) {
            return variables.getOrDefault(variable.name(), Double.NaN);
        } else if (expression instanceof Binary binary) {
            double left = evaluate(binary.left(), variables);
            return binary.operator().apply.applyAsDouble(left, evaluate(binary.right(), variables));
        } else if (expression instanceof Negation negation) {
            return -evaluate(negation.operand(), variables);
        } else if (expression instanceof Call call) {
            return call.function().call(call.arguments().stream().mapToDouble(a -> evaluate(a, variables)).toArray());
        }
        throw new AssertionError(expression);
    }

    public static Expression simplify(Expression expression) {
        if (expression instanceof Negation negation) {
            Expression operand = simplify(negation.operand());
            return operand instanceof Negation twice ? twice.operand() : new Negation(operand);
        }
        if (!(expression instanceof Binary binary)) {
            return expression;
        }
        Expression left = simplify(binary.left());
        Expression right = simplify(binary.right());
        if (left instanceof Number a && right instanceof Number b) {
            return new Number(binary.operator().apply.applyAsDouble(a.value(), b.value()));
        }
        return switch (binary.operator()) {
            case ADD -> isZero(left) ? right : isZero(right) ? left : left.plus(right);
            case SUBTRACT -> isZero(right) ? left : new Binary(Operator.SUBTRACT, left, right);
            case MULTIPLY -> {
                if (isZero(left) || isZero(right)) {
                    yield Number.ZERO;
                }
                yield isOne(left) ? right : isOne(right) ? left : left.times(right);
            }
            case DIVIDE -> isOne(right) ? left : new Binary(Operator.DIVIDE, left, right);
            case POWER -> isZero(right) ? Number.ONE : new Binary(Operator.POWER, left, right);
        };
    }

    private static boolean isZero(Expression expression) {
        return expression instanceof Number number && number.is(0);
    }

    private static boolean isOne(Expression expression) {
        return expression instanceof Number number && number.is(1);
    }

    public static Map<String, Integer> countNames(Expression expression) {
        Map<String, Integer> counts = new HashMap<>();
        count(expression, counts);
        return counts;
    }

    private static void count(Expression expression, Map<String, Integer> counts) {
        if (expression instanceof Variable variable) {
            counts.merge(variable.name(), 1, Integer::sum);
        } else if (expression instanceof Binary binary) {
            List.of(binary.left(), binary.right()).forEach(side -> count(side, counts));
        } else if (expression instanceof Negation negation) {
            count(negation.operand(), counts);
        } else if (expression instanceof Call call) {
            call.arguments().forEach(argument -> count(argument, counts));
        }
    }
}
