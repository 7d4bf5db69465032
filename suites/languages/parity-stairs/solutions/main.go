package main

import "fmt"

func main() {
	var n int
	fmt.Scan(&n)
	v, length, sum := make([]int, n), make([]int, n), make([]int, n)
	best := 0
	for i := range v {
		fmt.Scan(&v[i])
		length[i], sum[i] = 1, v[i]
		for j := 0; j < i; j++ {
			if v[j] < v[i] && (v[j]+v[i])%2 == 1 {
				l, s := length[j]+1, sum[j]+v[i]
				if l > length[i] || l == length[i] && s > sum[i] {
					length[i], sum[i] = l, s
				}
			}
		}
		if length[i] > length[best] || length[i] == length[best] && sum[i] > sum[best] {
			best = i
		}
	}
	fmt.Println(length[best], sum[best])
}
