// Groups visits into sessions while they come in, in any order, and reports each session once it is over.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"sort"
)

type session struct {
	key                  string
	first, last          int64
	count, sum, greatest int64
}

// Sessions of a key that are not over, in the order of their times.
type open map[string][]session

func join(a, b session) session {
	if b.first < a.first {
		a.first = b.first
	}
	if b.last > a.last {
		a.last = b.last
	}
	if b.greatest > a.greatest {
		a.greatest = b.greatest
	}
	a.count += b.count
	a.sum += b.sum
	return a
}

// What a session becomes with all that it touches, and the sessions that it leaves alone.
func touch(all []session, one session, gap int64) (session, []session) {
	var others []session
	for _, other := range all {
		if other.last+gap < one.first || one.last+gap < other.first {
			others = append(others, other)
		} else if one.count > 1 {
			others = append(others, other)
		} else {
			one = join(one, other)
		}
	}
	return one, others
}

func (o open) report(out *bufio.Writer, gap, mark int64) {
	var over []session
	for key, all := range o {
		var kept []session
		for _, one := range all {
			if one.last+gap < mark {
				over = append(over, one)
			} else {
				kept = append(kept, one)
			}
		}
		o[key] = kept
		if len(kept) == 0 {
			delete(o, key)
		}
	}
	sort.Slice(over, func(i, j int) bool {
		if over[i].last != over[j].last {
			return over[i].last < over[j].last
		}
		return over[i].key < over[j].key
	})
	for _, one := range over {
		fmt.Fprintln(out, "session", one.key, one.first, one.last, one.count, one.sum, one.greatest)
	}
}

func main() {
	gap := flag.Int64("gap", 30, "seconds that a session waits for its next visit")
	lag := flag.Int64("lag", 0, "seconds that a visit may come late")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	const never = int64(1) << 60
	sessions, mark, late := open{}, -never, 0
	lines := bufio.NewReader(os.Stdin)
	for {
		var key string
		var time, value int64
		if n, _ := fmt.Fscanln(lines, &time, &key, &value); n < 3 {
			break
		}
		one, others := touch(sessions[key], session{key, time, time, 1, value, value}, *gap)
		if one.last+*gap < mark {
			late++
			fmt.Fprintln(out, "late", key, time)
			continue
		}
		sessions[key] = append(others, one)
		if time-*lag > mark {
			mark = time - *lag
			sessions.report(out, *gap, mark)
		}
	}
	sessions.report(out, *gap, never)
	fmt.Fprintln(out, "end", late)
}
