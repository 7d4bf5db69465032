val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    val n = int()
    val v = IntArray(n) { int() }
    val score = IntArray(n) // length * 10^7 + sum
    for (i in 0 until n) {
        val before = (0 until i).filter { v[it] < v[i] && (v[i] - v[it]) % 2 == 1 }.maxOfOrNull { score[it] } ?: 0
        score[i] = before + 10000000 + v[i]
    }
    val best = score.max()
    println("${best / 10000000} ${best % 10000000}")
}
