import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        int rows = in.nextInt(), columns = in.nextInt(), y = in.nextInt(), x = in.nextInt();
        int[][] sand = new int[rows][columns];
        sand[y][x] = in.nextInt();
        boolean again = true;
        while (again) {
            again = false;
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < columns; c++) {
                    int times = sand[r][c] / 4;
                    if (times == 0) continue;
                    again = true;
                    sand[r][c] %= 4;
                    if (r > 0) sand[r - 1][c] += times;
                    if (r + 1 < rows) sand[r + 1][c] += times;
                    sand[r][(c + 1) % columns] += times;
                    sand[r][(c + columns - 1) % columns] += times;
                }
        }
        int grains = 0, threes = 0;
        for (int[] row : sand)
            for (int cell : row) {
                grains += cell;
                if (cell == 3) threes++;
            }
        System.out.println(grains + " " + threes);
    }
}
