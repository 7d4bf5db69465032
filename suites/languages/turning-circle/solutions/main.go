package main

import "fmt"

func main() {
	var n, k int
	fmt.Scan(&n, &k)
	people, gone := []int{}, []int{}
	for i := 1; i <= n; i++ {
		people = append(people, i)
	}
	at := 0
	for turn := 0; len(people) > 1; turn++ {
		size := len(people)
		step := (k + turn - 1) % size
		if turn%2 == 0 {
			at = (at + step) % size
		} else {
			at = (at - 1 - step + 2*size) % size
		}
		gone = append(gone, people[at])
		people = append(people[:at], people[at+1:]...)
	}
	sum := 0
	for _, person := range gone[n-4:] {
		sum += person
	}
	fmt.Println(people[0], sum)
}
