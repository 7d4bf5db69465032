val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

const val MOD = 1000000007L

fun main() {
    val n = int()
    val m = int()
    val ways = Array(3) { LongArray(m + 1) }
    for (row in ways) row[1] = 1
    for (i in 1 until n) {
        val ends = ways.map { it.sum() % MOD }
        for (row in ways) row.copyInto(row, 2, 1, m)
        ways[0][1] = (ends[1] + ends[2]) % MOD
        ways[1][1] = (ends[0] + ends[2]) % MOD
        ways[2][1] = ends[1]
    }
    println(ways.sumOf { it.sum() % MOD } % MOD)
}
