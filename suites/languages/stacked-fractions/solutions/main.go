package main

import (
	"fmt"
	"math/big"
)

func main() {
	var n int
	var a, b int64
	fmt.Scan(&n)
	sum := new(big.Rat)
	for ; n > 0; n-- {
		fmt.Scan(&a, &b)
		sum.Add(sum, big.NewRat(a, b))
	}
	top, bottom := sum.Num().Int64(), sum.Denom().Int64()
	for bottom != 0 {
		fmt.Print(top/bottom, " ")
		top, bottom = bottom, top%bottom
	}
	fmt.Println()
}
