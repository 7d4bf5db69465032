package main

import (
	"fmt"
	"time"
)

func digits(n int) int {
	if n == 0 {
		return 0
	}
	return n%10 + digits(n/10)
}

func main() {
	var a, b, count int
	fmt.Scan(&a, &b)
	for day := time.Date(a, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() <= b; day = day.AddDate(0, 0, 1) {
		weekday := int(day.Weekday()+6)%7 + 1
		if (digits(day.Day())+digits(int(day.Month()))+digits(day.Year()))%weekday == 0 {
			count++
		}
	}
	fmt.Println(count)
}
