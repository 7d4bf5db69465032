import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    static long value = 0, total = 0;
    static int m;

    static void visit(int r, int c) {
        value++;
        if ((r + c) % m == 0) total += value;
    }

    public static void main(String[] args) {
        int rows = in.nextInt(), columns = in.nextInt();
        m = in.nextInt();
        int top = 0, bottom = rows - 1, left = 0, right = columns - 1;
        while (top <= bottom && left <= right) {
            for (int c = left; c <= right; c++) visit(top, c);
            for (int r = top + 1; r <= bottom; r++) visit(r, right);
            if (top < bottom) for (int c = right - 1; c >= left; c--) visit(bottom, c);
            if (left < right) for (int r = bottom - 1; r > top; r--) visit(r, left);
            top++;
            bottom--;
            left++;
            right--;
        }
        System.out.println(total);
    }
}
