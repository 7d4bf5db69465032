package main

import "fmt"

func main() {
	var rows, columns, m int
	fmt.Scan(&rows, &columns, &m)
	value, total := 0, 0
	visit := func(r, c int) {
		value++
		if (r+c)%m == 0 {
			total += value
		}
	}
	top, bottom, left, right := 0, rows-1, 0, columns-1
	for top <= bottom && left <= right {
		for c := left; c <= right; c++ {
			visit(top, c)
		}
		for r := top + 1; r <= bottom; r++ {
			visit(r, right)
		}
		if top < bottom {
			for c := right - 1; c >= left; c-- {
				visit(bottom, c)
			}
		}
		if left < right {
			for r := bottom - 1; r > top; r-- {
				visit(r, left)
			}
		}
		top, bottom, left, right = top+1, bottom-1, left+1, right-1
	}
	fmt.Println(total)
}
