import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        int a = in.nextInt(), b = in.nextInt(), total = 0, most = 0, best = 0;
        int[] length = {0, 1, 2, 3, 2, 1, 2, 3, 4, 2};
        for (int number = a; number <= b; number++) {
            int letters = number / 1000 + length[number / 100 % 10] + length[number / 10 % 10] + length[number % 10];
            total += letters;
            if (letters > most) {
                most = letters;
                best = number;
            }
        }
        System.out.println(total + " " + best);
    }
}
