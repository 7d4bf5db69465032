val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    val n = int()
    val on = BooleanArray(n + 1)
    for (i in 1..n)
        if (i.countOneBits() % 2 == 0) for (lamp in i..n step i) on[lamp] = !on[lamp]
    println("${on.count { it }} ${maxOf(on.lastIndexOf(true), 0)}")
}
