import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        String text = in.next();
        for (int length = text.length() / 2; length > 0; length--) {
            TreeSet<String> found = new TreeSet<>();
            for (int i = 0; i + 2 * length <= text.length(); i++) {
                String part = text.substring(i, i + length);
                if (text.indexOf(part, i + length) >= 0) found.add(part);
            }
            if (!found.isEmpty()) {
                System.out.println(length + " " + found.first());
                return;
            }
        }
        System.out.println("0 -");
    }
}
