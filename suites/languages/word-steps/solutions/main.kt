val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun near(a: String, b: String) =
    if (a.length != b.length) a.drop(1) == b || b.drop(1) == a
    else a.indices.count { a[it] != b[it] } == 1

fun main() {
    val first = input.next()
    val last = input.next()
    val words = List(int()) { input.next() }
    val steps = mutableMapOf(first to 0)
    val queue = ArrayDeque(listOf(first))
    while (queue.isNotEmpty()) {
        val word = queue.removeFirst()
        for (other in words)
            if (other !in steps && near(word, other)) {
                steps[other] = steps.getValue(word) + 1
                queue.addLast(other)
            }
    }
    println(steps[last] ?: -1)
}
