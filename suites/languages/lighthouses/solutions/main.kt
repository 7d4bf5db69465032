val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun long() = input.next().toLong()

tailrec fun gcd(a: Long, b: Long): Long = if (b == 0L) a else gcd(b, a % b)

fun main() {
    var t = 0L
    var step = 1L
    repeat(int()) {
        val m = long()
        val x = long()
        var tries = 0
        while (t % m != x) {
            if (tries++ > m) {
                println("never")
                return
            }
            t += step
        }
        step = step / gcd(step, m) * m
    }
    println(t)
}
