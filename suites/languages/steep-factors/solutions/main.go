package main

import "fmt"

func main() {
	var n, count, total int
	fmt.Scan(&n)
	least := make([]int, n+1)
	for p := 2; p <= n; p++ {
		if least[p] == 0 {
			for m := p; m <= n; m += p {
				if least[m] == 0 {
					least[m] = p
				}
			}
		}
	}
	for i := 2; i <= n; i++ {
		last, steep := 0, true
		for rest := i; rest > 1; rest /= last {
			if least[rest] < 2*last {
				steep = false
				break
			}
			last = least[rest]
		}
		if steep {
			count++
			total += i
		}
	}
	fmt.Println(count, total)
}
