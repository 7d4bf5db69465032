val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    val rows = int()
    val columns = int()
    val m = int()
    var value = 0L
    var total = 0L

    fun visit(r: Int, c: Int) {
        value++
        if ((r + c) % m == 0) total += value
    }
    var top = 0
    var bottom = rows - 1
    var left = 0
    var right = columns - 1
    while (top <= bottom && left <= right) {
        for (c in left..right) visit(top, c)
        for (r in top + 1..bottom) visit(r, right)
        if (top < bottom) for (c in right - 1 downTo left) visit(bottom, c)
        if (left < right) for (r in bottom - 1 downTo top + 1) visit(r, left)
        top++
        bottom--
        left++
        right--
    }
    println(total)
}
