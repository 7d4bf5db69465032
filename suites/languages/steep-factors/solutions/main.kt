val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    val n = int()
    val least = IntArray(n + 1)
    for (p in 2..n)
        if (least[p] == 0) for (m in p..n step p) if (least[m] == 0) least[m] = p
    var count = 0
    var total = 0L
    for (i in 2..n) {
        var last = 0
        var steep = true
        var rest = i
        while (rest > 1 && steep) {
            steep = least[rest] >= 2 * last
            last = least[rest]
            rest /= last
        }
        if (steep) {
            count++
            total += i
        }
    }
    println("$count $total")
}
