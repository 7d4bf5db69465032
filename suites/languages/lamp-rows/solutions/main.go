package main

import (
	"fmt"
	"math/bits"
)

func main() {
	var n, count, last int
	fmt.Scan(&n)
	on := make([]bool, n+1)
	for i := 1; i <= n; i++ {
		if bits.OnesCount(uint(i))%2 == 0 {
			for lamp := i; lamp <= n; lamp += i {
				on[lamp] = !on[lamp]
			}
		}
	}
	for lamp, lit := range on {
		if lit {
			count++
			last = lamp
		}
	}
	fmt.Println(count, last)
}
