import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        int n = in.nextInt();
        BitSet on = new BitSet();
        for (int i = 1; i <= n; i++)
            if (Integer.bitCount(i) % 2 == 0) for (int lamp = i; lamp <= n; lamp += i) on.flip(lamp);
        System.out.println(on.cardinality() + " " + Math.max(on.length() - 1, 0));
    }
}
