import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        int rows = in.nextInt(), columns = in.nextInt(), islands = 0, largest = 0;
        char[][] cells = new char[rows][];
        for (int r = 0; r < rows; r++) cells[r] = in.next().toCharArray();
        int[][] steps = {{0, 1}, {1, 0}, {0, columns - 1}, {rows - 1, 0}};
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++) {
                if (cells[r][c] != '#') continue;
                Deque<int[]> stack = new ArrayDeque<>();
                stack.push(new int[] {r, c});
                cells[r][c] = '.';
                int size = 0;
                while (!stack.isEmpty()) {
                    int[] at = stack.pop();
                    size++;
                    for (int[] step : steps) {
                        int v = (at[0] + step[0]) % rows, u = (at[1] + step[1]) % columns;
                        if (cells[v][u] == '#') {
                            cells[v][u] = '.';
                            stack.push(new int[] {v, u});
                        }
                    }
                }
                islands++;
                largest = Math.max(largest, size);
            }
        System.out.println(islands + " " + largest);
    }
}
