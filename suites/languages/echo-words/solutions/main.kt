val input = System.`in`.bufferedReader().readText().split(Regex("\\s+")).filter { it.isNotEmpty() }.iterator()

fun main() {
    val text = input.next()
    for (length in text.length / 2 downTo 1) {
        val found = (0..text.length - 2 * length)
            .map { it to text.substring(it, it + length) }
            .filter { (at, part) -> text.indexOf(part, at + length) >= 0 }
            .minOfOrNull { (_, part) -> part }
        if (found != null) {
            println("$length $found")
            return
        }
    }
    println("0 -")
}
