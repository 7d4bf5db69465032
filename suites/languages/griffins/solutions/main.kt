val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    val n = int()
    val m = int()
    val column = IntArray(n)

    fun place(row: Int): Long {
        if (row == n) return 1
        var ways = 0L
        for (c in 0 until m) {
            if (row >= 1 && Math.abs(c - column[row - 1]) <= 2) continue
            if (row >= 2 && Math.abs(c - column[row - 2]) == 1) continue
            column[row] = c
            ways += place(row + 1)
        }
        return ways
    }
    println(place(0))
}
