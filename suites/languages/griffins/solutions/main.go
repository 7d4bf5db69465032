package main

import "fmt"

var n, m int

func far(a, b, least int) bool { return a-b >= least || b-a >= least }

func place(columns []int) int {
	row, ways := len(columns), 0
	if row == n {
		return 1
	}
	for c := 0; c < m; c++ {
		if row >= 1 && !far(c, columns[row-1], 3) {
			continue
		}
		if row >= 2 && (c-columns[row-2] == 1 || columns[row-2]-c == 1) {
			continue
		}
		ways += place(append(columns, c))
	}
	return ways
}

func main() {
	fmt.Scan(&n, &m)
	fmt.Println(place(nil))
}
