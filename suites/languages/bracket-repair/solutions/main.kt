val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun main() {
    val text = input.next()
    val n = text.length
    val cost = Array(n + 1) { IntArray(n + 1) }
    for (i in n - 1 downTo 0)
        for (j in i + 1..n) {
            cost[i][j] = cost[i + 1][j] + 1
            val kind = "([{".indexOf(text[i])
            for (k in i + 1 until j)
                if (kind >= 0 && ")]}".indexOf(text[k]) == kind)
                    cost[i][j] = minOf(cost[i][j], cost[i + 1][k] + cost[k + 1][j])
        }
    println(cost[0][n])
}
