// Groups visits to a web site into sessions while they come in, in any order of their times.
//
// The open sessions of a key lie in a slice, in the order of their times. All open sessions lie in a heap as well, by
// the last time that they had when they were put there; that is looked at anew when one comes to the top.
package main

import (
	"bufio"
	"container/heap"
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
)

type session struct {
	key                               string
	first, last, count, sum, greatest int64
	absorbed                          bool // it has become a part of another one
}

// absorb takes over the visits of another session of the same key.
func (s *session) absorb(other *session) {
	if other.first < s.first {
		s.first = other.first
	}
	if other.last > s.last {
		s.last = other.last
	}
	if other.greatest > s.greatest {
		s.greatest = other.greatest
	}
	s.count += other.count
	s.sum += other.sum
	other.absorbed = true
}

// A ticket stands for a session in the agenda. Its last time may have become greater in the meantime.
type ticket struct {
	last int64
	*session
}

type agenda []ticket

func (a agenda) Len() int      { return len(a) }
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a agenda) Less(i, j int) bool {
	if a[i].last != a[j].last {
		return a[i].last < a[j].last
	}
	return a[i].key < a[j].key
}
func (a *agenda) Push(item any) { *a = append(*a, item.(ticket)) }
func (a *agenda) Pop() any {
	end := len(*a) - 1
	item := (*a)[end]
	(*a)[end] = ticket{}
	*a = (*a)[:end]
	return item
}

type grouper struct {
	gap, lag int64
	open     map[string][]*session
	agenda   agenda
	begun    bool
	greatest int64 // of all times that count for the mark, if it has begun
	late     int
	out      *bufio.Writer
}

// over says whether a session with this last time is over by the mark as it is.
func (g *grouper) over(last int64) bool {
	return g.begun && last+g.gap < g.greatest-g.lag
}

func (g *grouper) visit(key string, time, value int64) {
	open := g.open[key]
	// Those from `low` until `high`, two at most, are near enough for the visit to belong to them.
	low := sort.Search(len(open), func(k int) bool { return open[k].last >= time-g.gap })
	high := low
	for high < len(open) && open[high].first <= time+g.gap {
		high++
	}

	// Open sessions are not over, so only a visit that belongs to none of them can be late.
	if low == high && g.over(time) {
		g.late++
		fmt.Fprintln(g.out, "late", key, time)
		return
	}
	visited := &session{key: key, first: time, last: time, count: 1, sum: value, greatest: value}
	if low == high {
		open = append(open, nil)
		copy(open[low+1:], open[low:])
		open[low] = visited
		heap.Push(&g.agenda, ticket{time, visited})
	} else {
		kept := open[low]
		kept.absorb(visited)
		for _, other := range open[low+1 : high] {
			kept.absorb(other)
		}
		open = append(open[:low+1], open[high:]...)
	}
	g.open[key] = open

	if !g.begun || time > g.greatest {
		g.begun, g.greatest = true, time
		g.report(g.over)
	}
}

// report prints and forgets the sessions whose last times are due, in order.
func (g *grouper) report(due func(last int64) bool) {
	for len(g.agenda) > 0 && due(g.agenda[0].last) {
		s := g.agenda[0].session
		switch {
		case s.absorbed:
			heap.Pop(&g.agenda)
		case s.last > g.agenda[0].last:
			g.agenda[0].last = s.last
			heap.Fix(&g.agenda, 0)
		default:
			heap.Pop(&g.agenda)
			g.forget(s)
			fmt.Fprintln(g.out, "session", s.key, s.first, s.last, s.count, s.sum, s.greatest)
		}
	}
}

// forget takes a session away from those of its key; as it is over, it is the first of them.
func (g *grouper) forget(s *session) {
	if rest := g.open[s.key][1:]; len(rest) > 0 {
		g.open[s.key] = rest
	} else {
		delete(g.open, s.key)
	}
}

func main() {
	gap := flag.Int64("gap", 30, "greatest distance between two visits of a session")
	lag := flag.Int64("lag", 0, "how long visits that come late are waited for")
	flag.Parse()
	g := &grouper{gap: *gap, lag: *lag, open: map[string][]*session{}, out: bufio.NewWriter(os.Stdout)}
	defer g.out.Flush()

	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if words := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3); len(words) == 3 {
			time, _ := strconv.ParseInt(words[0], 10, 64)
			value, _ := strconv.ParseInt(words[2], 10, 64)
			g.visit(words[1], time, value)
		}
		if err == io.EOF {
			break
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			g.out.Flush()
			os.Exit(1)
		}
	}
	g.report(func(int64) bool { return true })
	fmt.Fprintln(g.out, "end", g.late)
}
