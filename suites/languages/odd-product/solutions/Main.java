import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        int n = in.nextInt();
        BigInteger product = BigInteger.ONE;
        for (long i = 1; i <= n; i++) product = product.multiply(BigInteger.valueOf(i * i + 1));
        String digits = product.toString();
        System.out.println(digits.length() + " " + digits.chars().map(c -> c - '0').sum());
    }
}
