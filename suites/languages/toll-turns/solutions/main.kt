val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

class Way(val paid: Int, val r: Int, val c: Int, val came: Int)

fun main() {
    val rows = int()
    val columns = int()
    val cells = List(rows) { input.next() }
    val dy = listOf(0, 1, 0, -1)
    val dx = listOf(1, 0, -1, 0)
    val done = HashSet<List<Int>>()
    val waiting = java.util.PriorityQueue<Way>(compareBy { it.paid })
    waiting.add(Way(0, 0, 0, 4))
    while (true) {
        val at = waiting.remove()
        if (at.r == rows - 1 && at.c == columns - 1) {
            println(at.paid)
            return
        }
        if (!done.add(listOf(at.r, at.c, at.came))) continue
        for (d in 0..3) {
            val v = at.r + dy[d]
            val u = at.c + dx[d]
            if (v !in 0 until rows || u !in 0 until columns) continue
            val turn = if (at.came != 4 && at.came != d) 3 else 0
            waiting.add(Way(at.paid + cells[v][u].digitToInt() + turn, v, u, d))
        }
    }
}
