val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun long() = input.next().toLong()

fun main() {
    var top = 0L
    var bottom = 1L
    repeat(int()) {
        val a = long()
        val b = long()
        top = top * b + a * bottom
        bottom *= b
    }
    val terms = mutableListOf<Long>()
    while (bottom > 0) {
        terms.add(top / bottom)
        val rest = top % bottom
        top = bottom
        bottom = rest
    }
    println(terms.joinToString(" "))
}
