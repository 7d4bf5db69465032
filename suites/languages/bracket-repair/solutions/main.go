package main

import "fmt"

func main() {
	var text string
	fmt.Scan(&text)
	n := len(text)
	closing := map[byte]byte{'(': ')', '[': ']', '{': '}'}
	cost := make([][]int, n+1)
	for i := range cost {
		cost[i] = make([]int, n+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j <= n; j++ {
			least := cost[i+1][j] + 1
			for k := i + 1; k < j; k++ {
				if paid := cost[i+1][k] + cost[k+1][j]; closing[text[i]] == text[k] && paid < least {
					least = paid
				}
			}
			cost[i][j] = least
		}
	}
	fmt.Println(cost[0][n])
}
