package main

import (
	"fmt"
	"math/big"
)

func main() {
	var n int64
	fmt.Scan(&n)
	product := big.NewInt(1)
	for i := int64(1); i <= n; i++ {
		product.Mul(product, big.NewInt(i*i+1))
	}
	digits, sum := product.String(), 0
	for _, digit := range digits {
		sum += int(digit - '0')
	}
	fmt.Println(len(digits), sum)
}
