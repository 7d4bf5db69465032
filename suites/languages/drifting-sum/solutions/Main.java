import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        BigInteger a = in.nextBigInteger(), b = in.nextBigInteger();
        int n = in.nextInt();
        for (int i = 3; i <= n; i++) {
            BigInteger c = a.add(b).add(BigInteger.valueOf(i));
            a = b;
            b = c;
        }
        String digits = b.toString();
        System.out.println(digits.length() + " " + digits.chars().filter(c -> c == '7').count());
    }
}
