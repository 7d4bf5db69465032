import java.math.BigInteger;
import java.time.LocalDate;
import java.util.*;

public class Main {
    static Scanner in = new Scanner(System.in);

    public static void main(String[] args) {
        BigInteger a = in.nextBigInteger();
        String s = in.next();
        int e = 1;
        while (!a.pow(e).toString().contains(s)) e++;
        System.out.println(e);
    }
}
