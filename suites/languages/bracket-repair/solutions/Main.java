import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        String text = in.next();
        int n = text.length();
        int[][] cost = new int[n + 1][n + 1];
        for (int i = n - 1; i >= 0; i--)
            for (int j = i + 1; j <= n; j++) {
                cost[i][j] = cost[i + 1][j] + 1;
                int kind = "([{".indexOf(text.charAt(i));
                for (int k = i + 1; k < j; k++)
                    if (kind >= 0 && ")]}".indexOf(text.charAt(k)) == kind)
                        cost[i][j] = Math.min(cost[i][j], cost[i + 1][k] + cost[k + 1][j]);
            }
        System.out.println(cost[0][n]);
    }
}
