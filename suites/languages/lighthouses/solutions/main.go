package main

import "fmt"

func gcd(a, b int) int {
	if b == 0 {
		return a
	}
	return gcd(b, a%b)
}

func main() {
	var k, m, x int
	fmt.Scan(&k)
	t, step := 0, 1
	for ; k > 0; k-- {
		fmt.Scan(&m, &x)
		for tries := 0; t%m != x; tries++ {
			if tries > m {
				fmt.Println("never")
				return
			}
			t += step
		}
		step = step / gcd(step, m) * m
	}
	fmt.Println(t)
}
