import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        final long mod = 1000000007;
        int n = in.nextInt(), m = in.nextInt();
        long[][] ways = new long[3][m + 1];
        for (long[] row : ways) row[1] = 1;
        for (int i = 1; i < n; i++) {
            long[] ends = new long[3];
            for (int l = 0; l < 3; l++) {
                ends[l] = Arrays.stream(ways[l]).sum() % mod;
                System.arraycopy(ways[l], 1, ways[l], 2, m - 1);
            }
            ways[0][1] = (ends[1] + ends[2]) % mod;
            ways[1][1] = (ends[0] + ends[2]) % mod;
            ways[2][1] = ends[1];
        }
        System.out.println(Arrays.stream(ways).flatMapToLong(Arrays::stream).sum() % mod);
    }
}
