package main

import "fmt"

func main() {
	var a, b int
	fmt.Scan(&a, &b)
	length := [10]int{0, 1, 2, 3, 2, 1, 2, 3, 4, 2}
	total, most, best := 0, 0, 0
	for number := a; number <= b; number++ {
		letters := number/1000 + length[number/100%10] + length[number/10%10] + length[number%10]
		total += letters
		if letters > most {
			most, best = letters, number
		}
	}
	fmt.Println(total, best)
}
