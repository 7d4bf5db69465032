import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        int n = in.nextInt(), best = 0;
        int[] v = new int[n], score = new int[n]; // length * 10^7 + sum
        for (int i = 0; i < n; i++) {
            v[i] = in.nextInt();
            for (int j = 0; j < i; j++) if (v[j] < v[i] && (v[i] - v[j]) % 2 == 1) score[i] = Math.max(score[i], score[j]);
            score[i] += 10000000 + v[i];
            best = Math.max(best, score[i]);
        }
        System.out.println(best / 10000000 + " " + best % 10000000);
    }
}
