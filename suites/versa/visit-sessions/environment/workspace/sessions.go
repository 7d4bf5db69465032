// Groups visits into sessions. So far: visits that come in the order of their times.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
)

type session struct {
	first, last, count, sum, greatest int64
}

func main() {
	gap := flag.Int64("gap", 30, "seconds that a session waits for its next visit")
	flag.Parse()
	sessions := map[string]*session{}
	lines := bufio.NewReader(os.Stdin)
	for {
		var key string
		var time, value int64
		if n, _ := fmt.Fscanln(lines, &time, &key, &value); n < 3 {
			break
		}
		s := sessions[key]
		if s != nil && s.last+*gap < time {
			fmt.Println("session", key, s.first, s.last, s.count, s.sum, s.greatest)
			s = nil
		}
		if s == nil {
			s = &session{first: time, greatest: value}
			sessions[key] = s
		}
		s.last = time
		s.count++
		s.sum += value
		if value > s.greatest {
			s.greatest = value
		}
	}
	for key, s := range sessions {
		fmt.Println("session", key, s.first, s.last, s.count, s.sum, s.greatest)
	}
	fmt.Println("end", 0)
}
