package main

import (
	"fmt"
	"math/big"
	"strings"
)

func main() {
	var a, b, n int64
	fmt.Scan(&a, &b, &n)
	x, y := big.NewInt(a), big.NewInt(b)
	for i := int64(3); i <= n; i++ {
		x.Add(x, y)
		x.Add(x, big.NewInt(i))
		x, y = y, x
	}
	fmt.Println(len(y.String()), strings.Count(y.String(), "7"))
}
