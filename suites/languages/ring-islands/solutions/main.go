package main

import "fmt"

var rows, columns int
var cells [][]byte

func sink(r, c int) int {
	r, c = (r+rows)%rows, (c+columns)%columns
	if cells[r][c] != '#' {
		return 0
	}
	cells[r][c] = '.'
	return 1 + sink(r-1, c) + sink(r+1, c) + sink(r, c-1) + sink(r, c+1)
}

func main() {
	fmt.Scan(&rows, &columns)
	for r := 0; r < rows; r++ {
		var row string
		fmt.Scan(&row)
		cells = append(cells, []byte(row))
	}
	islands, largest := 0, 0
	for r := range cells {
		for c := range cells[r] {
			if size := sink(r, c); size > 0 {
				islands++
				if size > largest {
					largest = size
				}
			}
		}
	}
	fmt.Println(islands, largest)
}
