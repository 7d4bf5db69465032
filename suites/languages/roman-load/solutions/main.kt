val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    val lengths = intArrayOf(0, 1, 2, 3, 2, 1, 2, 3, 4, 2)
    var total = 0
    var most = 0
    var best = 0
    for (number in int()..int()) {
        val letters =
            number / 1000 + lengths[number / 100 % 10] + lengths[number / 10 % 10] + lengths[number % 10]
        total += letters
        if (letters > most) {
            most = letters
            best = number
        }
    }
    println("$total $best")
}
