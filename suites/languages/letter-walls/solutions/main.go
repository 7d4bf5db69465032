package main

import "fmt"

const mod = 1000000007

func main() {
	var n, m int
	fmt.Scan(&n, &m)
	ways := [3][]int{make([]int, m+1), make([]int, m+1), make([]int, m+1)}
	for l := range ways {
		ways[l][1] = 1
	}
	for i := 1; i < n; i++ {
		var ends [3]int
		for l := range ways {
			for _, count := range ways[l] {
				ends[l] = (ends[l] + count) % mod
			}
			copy(ways[l][2:], ways[l][1:m])
		}
		ways[0][1] = (ends[1] + ends[2]) % mod
		ways[1][1] = (ends[0] + ends[2]) % mod
		ways[2][1] = ends[1]
	}
	total := 0
	for l := range ways {
		for _, count := range ways[l] {
			total += count
		}
	}
	fmt.Println(total % mod)
}
