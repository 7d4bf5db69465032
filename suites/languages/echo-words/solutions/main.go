package main

import (
	"fmt"
	"strings"
)

func main() {
	var text string
	fmt.Scan(&text)
	for length := len(text) / 2; length > 0; length-- {
		best := ""
		for i := 0; i+2*length <= len(text); i++ {
			part := text[i : i+length]
			if strings.Contains(text[i+length:], part) && (best == "" || part < best) {
				best = part
			}
		}
		if best != "" {
			fmt.Println(length, best)
			return
		}
	}
	fmt.Println("0 -")
}
