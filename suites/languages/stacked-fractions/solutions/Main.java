import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        long top = 0, bottom = 1;
        for (int n = in.nextInt(); n > 0; n--) {
            long a = in.nextLong(), b = in.nextLong();
            top = top * b + a * bottom;
            bottom *= b;
        }
        StringJoiner terms = new StringJoiner(" ");
        while (bottom > 0) {
            terms.add(String.valueOf(top / bottom));
            long rest = top % bottom;
            top = bottom;
            bottom = rest;
        }
        System.out.println(terms);
    }
}
