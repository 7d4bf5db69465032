import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    static int n, m;
    static int[] column = new int[9];

    static long place(int row) {
        if (row == n) return 1;
        long ways = 0;
        for (int c = 0; c < m; c++) {
            if (row >= 1 && Math.abs(c - column[row - 1]) <= 2) continue;
            if (row >= 2 && Math.abs(c - column[row - 2]) == 1) continue;
            column[row] = c;
            ways += place(row + 1);
        }
        return ways;
    }

    public static void main(String[] args) {
        n = in.nextInt();
        m = in.nextInt();
        System.out.println(place(0));
    }
}
