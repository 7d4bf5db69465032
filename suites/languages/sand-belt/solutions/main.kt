val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    val rows = int()
    val columns = int()
    val y = int()
    val x = int()
    val sand = Array(rows) { IntArray(columns) }
    sand[y][x] = int()
    var again = true
    while (again) {
        again = false
        for (r in 0 until rows)
            for (c in 0 until columns) {
                val times = sand[r][c] / 4
                if (times == 0) continue
                again = true
                sand[r][c] %= 4
                if (r > 0) sand[r - 1][c] += times
                if (r + 1 < rows) sand[r + 1][c] += times
                sand[r][(c + 1) % columns] += times
                sand[r][(c + columns - 1) % columns] += times
            }
    }
    println("${sand.sumOf { it.sum() }} ${sand.sumOf { row -> row.count { it == 3 } }}")
}
