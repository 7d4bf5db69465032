val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    val rows = int()
    val columns = int()
    val cells = Array(rows) { input.next().toCharArray() }
    val steps = listOf(0 to 1, 1 to 0, 0 to columns - 1, rows - 1 to 0)
    val sizes = mutableListOf<Int>()
    for (r in 0 until rows)
        for (c in 0 until columns) {
            if (cells[r][c] != '#') continue
            val stack = ArrayDeque(listOf(r to c))
            cells[r][c] = '.'
            var size = 0
            while (stack.isNotEmpty()) {
                val (y, x) = stack.removeLast()
                size++
                for ((dy, dx) in steps) {
                    val v = (y + dy) % rows
                    val u = (x + dx) % columns
                    if (cells[v][u] == '#') {
                        cells[v][u] = '.'
                        stack.addLast(v to u)
                    }
                }
            }
            sizes += size
        }
    println("${sizes.size} ${sizes.maxOrNull() ?: 0}")
}
