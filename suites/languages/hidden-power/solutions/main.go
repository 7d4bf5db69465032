package main

import (
	"fmt"
	"math/big"
	"strings"
)

func main() {
	var a int64
	var s string
	fmt.Scan(&a, &s)
	power := big.NewInt(a)
	e := 1
	for !strings.Contains(power.String(), s) {
		power.Mul(power, big.NewInt(a))
		e++
	}
	fmt.Println(e)
}
