import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        int rows = in.nextInt(), columns = in.nextInt();
        String[] cells = new String[rows];
        for (int r = 0; r < rows; r++) cells[r] = in.next();
        int[] dy = {0, 1, 0, -1}, dx = {1, 0, -1, 0};
        PriorityQueue<int[]> waiting = new PriorityQueue<>((a, b) -> a[0] - b[0]);
        boolean[][][] done = new boolean[rows][columns][5];
        waiting.add(new int[] {0, 0, 0, 4});
        while (true) {
            int[] at = waiting.remove();
            int paid = at[0], r = at[1], c = at[2], came = at[3];
            if (r == rows - 1 && c == columns - 1) {
                System.out.println(paid);
                return;
            }
            if (done[r][c][came]) continue;
            done[r][c][came] = true;
            for (int d = 0; d < 4; d++) {
                int v = r + dy[d], u = c + dx[d];
                if (v < 0 || v >= rows || u < 0 || u >= columns) continue;
                int turn = came != 4 && came != d ? 3 : 0;
                waiting.add(new int[] {paid + cells[v].charAt(u) - '0' + turn, v, u, d});
            }
        }
    }
}
