import java.math.BigInteger

val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    var product = BigInteger.ONE
    for (i in 1L..int()) product *= (i * i + 1).toBigInteger()
    val digits = product.toString()
    println("${digits.length} ${digits.sumOf { it.digitToInt() }}")
}
