package main

import "fmt"

func near(a, b string) bool {
	if len(a) != len(b) {
		return a[1:] == b || b[1:] == a
	}
	other := 0
	for i := range a {
		if a[i] != b[i] {
			other++
		}
	}
	return other == 1
}

func main() {
	var first, last string
	var n int
	fmt.Scan(&first, &last, &n)
	words := make([]string, n)
	for i := range words {
		fmt.Scan(&words[i])
	}
	steps := map[string]int{first: 0}
	for queue := []string{first}; len(queue) > 0; queue = queue[1:] {
		for _, other := range words {
			if _, known := steps[other]; !known && near(queue[0], other) {
				steps[other] = steps[queue[0]] + 1
				queue = append(queue, other)
			}
		}
	}
	if found, known := steps[last]; known {
		fmt.Println(found)
	} else {
		fmt.Println(-1)
	}
}
