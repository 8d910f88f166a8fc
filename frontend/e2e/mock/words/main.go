// Command words says problems in words for the invented controller, as the real one does:
// each line of its input is a language and problems as JSON, each of its output the same
// problems with their words.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"piwork/app/problem"
	"piwork/app/words"
)

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var line struct {
			Language string            `json:"language"`
			Problems []problem.Problem `json:"problems"`
		}
		if err := in.Decode(&line); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			fail(err)
		}
		for i := range line.Problems {
			fixes := line.Problems[i].Fix
			for j := range fixes {
				fixes[j].Kind = problem.Fixes(fixes[j].Code)[0].Kind
			}
			words.For(line.Language).Problem(&line.Problems[i])
		}
		if err := out.Encode(line.Problems); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
