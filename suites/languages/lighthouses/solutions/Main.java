import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    public static void main(String[] args) {
        long t = 0, step = 1;
        for (int k = in.nextInt(); k > 0; k--) {
            long m = in.nextLong(), x = in.nextLong();
            for (int tries = 0; t % m != x; tries++, t += step)
                if (tries > m) {
                    System.out.println("never");
                    return;
                }
            step = step / gcd(step, m) * m;
        }
        System.out.println(t);
    }
}
