import java.time.LocalDate

val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun digits(n: Int) = n.toString().sumOf { it.digitToInt() }

fun main() {
    var day = LocalDate.of(int(), 1, 1)
    val end = LocalDate.of(int(), 12, 31)
    var count = 0
    while (day <= end) {
        val sum = digits(day.dayOfMonth) + digits(day.monthValue) + digits(day.year)
        if (sum % day.dayOfWeek.value == 0) count++
        day = day.plusDays(1)
    }
    println(count)
}
