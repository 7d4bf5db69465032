import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    static int digits(int n) {
        return n == 0 ? 0 : n % 10 + digits(n / 10);
    }

    public static void main(String[] args) {
        LocalDate day = LocalDate.of(in.nextInt(), 1, 1), end = LocalDate.of(in.nextInt(), 12, 31);
        int count = 0;
        for (; !day.isAfter(end); day = day.plusDays(1)) {
            int sum = digits(day.getDayOfMonth()) + digits(day.getMonthValue()) + digits(day.getYear());
            if (sum % day.getDayOfWeek().getValue() == 0) count++;
        }
        System.out.println(count);
    }
}
