package main

import "fmt"

func main() {
	var rows, columns int
	fmt.Scan(&rows, &columns)
	cells := make([]string, rows)
	cost := make([][][4]int, rows)
	for r := range cells {
		fmt.Scan(&cells[r])
		cost[r] = make([][4]int, columns)
		for c := range cost[r] {
			if r+c > 0 {
				cost[r][c] = [4]int{1 << 30, 1 << 30, 1 << 30, 1 << 30}
			}
		}
	}
	dy, dx := [4]int{0, 1, 0, -1}, [4]int{1, 0, -1, 0}
	for changed := true; changed; {
		changed = false
		for r := range cells {
			for c := 0; c < columns; c++ {
				for d := 0; d < 4; d++ {
					v, u := r+dy[d], c+dx[d]
					if v < 0 || v >= rows || u < 0 || u >= columns {
						continue
					}
					for e, paid := range cost[r][c] {
						paid += int(cells[v][u] - '0')
						if e != d {
							paid += 3
						}
						if paid < cost[v][u][d] {
							cost[v][u][d] = paid
							changed = true
						}
					}
				}
			}
		}
	}
	best := 1 << 30
	for _, paid := range cost[rows-1][columns-1] {
		if paid < best {
			best = paid
		}
	}
	fmt.Println(best)
}
