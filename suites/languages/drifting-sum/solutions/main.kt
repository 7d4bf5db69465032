import java.math.BigInteger

val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    var a = BigInteger(input.next())
    var b = BigInteger(input.next())
    for (i in 3..int()) {
        val c = a + b + i.toBigInteger()
        a = b
        b = c
    }
    val digits = b.toString()
    println("${digits.length} ${digits.count { it == '7' }}")
}
