package main

import "fmt"

func main() {
	var rows, columns, y, x, k int
	fmt.Scan(&rows, &columns, &y, &x, &k)
	sand := make([][]int, rows)
	for r := range sand {
		sand[r] = make([]int, columns)
	}
	sand[y][x] = k
	for again := true; again; {
		again = false
		for r := range sand {
			for c, grains := range sand[r] {
				if grains < 4 {
					continue
				}
				again = true
				sand[r][c] = grains % 4
				for _, cell := range [][2]int{{r - 1, c}, {r + 1, c}, {r, (c + 1) % columns}, {r, (c + columns - 1) % columns}} {
					if cell[0] >= 0 && cell[0] < rows {
						sand[cell[0]][cell[1]] += grains / 4
					}
				}
			}
		}
	}
	total, threes := 0, 0
	for r := range sand {
		for _, grains := range sand[r] {
			total += grains
			if grains == 3 {
				threes++
			}
		}
	}
	fmt.Println(total, threes)
}
