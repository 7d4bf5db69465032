import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        int n = in.nextInt(), count = 0;
        int[] least = new int[n + 1];
        long total = 0;
        for (int p = 2; p <= n; p++)
            if (least[p] == 0)
                for (int m = p; m <= n; m += p)
                    if (least[m] == 0) least[m] = p;
        for (int i = 2; i <= n; i++) {
            int last = 0;
            boolean steep = true;
            for (int rest = i; rest > 1 && steep; rest /= last) {
                steep = least[rest] >= 2 * last;
                last = least[rest];
            }
            if (steep) {
                count++;
                total += i;
            }
        }
        System.out.println(count + " " + total);
    }
}
