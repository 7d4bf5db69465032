import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    static boolean near(String a, String b) {
        if (a.length() != b.length()) return a.substring(1).equals(b) || b.substring(1).equals(a);
        int other = 0;
        for (int i = 0; i < a.length(); i++) if (a.charAt(i) != b.charAt(i)) other++;
        return other == 1;
    }

    public static void main(String[] args) {
        String first = in.next(), last = in.next();
        List<String> words = new ArrayList<>();
        for (int n = in.nextInt(); n > 0; n--) words.add(in.next());
        Map<String, Integer> steps = new HashMap<>(Map.of(first, 0));
        Deque<String> queue = new ArrayDeque<>(List.of(first));
        while (!queue.isEmpty()) {
            String word = queue.remove();
            for (String other : words)
                if (!steps.containsKey(other) && near(word, other)) {
                    steps.put(other, steps.get(word) + 1);
                    queue.add(other);
                }
        }
        System.out.println(steps.getOrDefault(last, -1));
    }
}
