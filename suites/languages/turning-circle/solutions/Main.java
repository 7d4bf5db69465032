import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        int n = in.nextInt(), k = in.nextInt(), at = 0, sum = 0;
        List<Integer> people = new ArrayList<>();
        for (int i = 1; i <= n; i++) people.add(i);
        for (int turn = 0; people.size() > 1; turn++) {
            int size = people.size(), step = (k + turn - 1) % size;
            at = Math.floorMod(turn % 2 == 0 ? at + step : at - 1 - step, size);
            int gone = people.remove(at);
            if (size <= 4) sum += gone;
        }
        System.out.println(people.get(0) + " " + sum);
    }
}
