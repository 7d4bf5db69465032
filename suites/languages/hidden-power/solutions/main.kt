import java.math.BigInteger

val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun main() {
    val a = BigInteger(input.next())
    val s = input.next()
    println(generateSequence(1) { it + 1 }.first { s in a.pow(it).toString() })
}
