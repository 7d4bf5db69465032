val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun int() = input.next().toInt()

fun main() {
    val people = (1..int()).toMutableList()
    val k = int()
    var at = 0
    var sum = 0
    var turn = 0
    while (people.size > 1) {
        val size = people.size
        val step = (k + turn - 1) % size
        at = (if (turn % 2 == 0) at + step else at - 1 - step).mod(size)
        val gone = people.removeAt(at)
        if (size <= 4) sum += gone
        turn++
    }
    println("${people[0]} $sum")
}
