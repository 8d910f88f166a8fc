package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// verdict is what one run of go test -json said.
type verdict struct {
	passed   []string // tests without their subtests
	failed   []string
	timedOut bool
	noBuild  bool
	output   strings.Builder // for a person, when it is not what was expected
}

// maxOutput bounds what is kept of the output of one run, in bytes.
const maxOutput = 1 << 20

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Test, Output string
}

// readVerdict reads the output of go test -json to its end.
func readVerdict(r io.Reader) (*verdict, error) {
	v := &verdict{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			v.line(line)
		}
		if errors.Is(err, io.EOF) {
			return v, nil
		}
		if err != nil {
			return v, fmt.Errorf("read what the tests say: %w", err)
		}
	}
}

func (v *verdict) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		e = event{Action: "output", Output: string(line)}
	}
	switch e.Action {
	case "output", "build-output":
		if v.output.Len() < maxOutput {
			v.output.WriteString(e.Output)
		}
		if strings.Contains(e.Output, "panic: test timed out after") {
			v.timedOut = true
		}
	case "build-fail":
		v.noBuild = true
	case "pass", "fail":
		if e.Test == "" || strings.Contains(e.Test, "/") {
			return
		}
		if e.Action == "pass" {
			v.passed = append(v.passed, e.Test)
		} else {
			v.failed = append(v.failed, e.Test)
		}
	}
}

// caught says whether tests failed as they should with a fault. An error says that
// the table of faults is wrong, not the tests.
func (v *verdict) caught() (bool, error) {
	switch {
	case v.noBuild:
		return false, fmt.Errorf("the fault does not compile:\n%s", &v.output)
	case v.timedOut:
		return false, fmt.Errorf("the tests ended by their time limit, which shows nothing")
	}
	return len(v.failed) > 0, nil
}

// sound says whether these tests passed, as they should without a fault.
func (v *verdict) sound(want []string) error {
	if v.noBuild || v.timedOut {
		return fmt.Errorf("without a fault the tests do not build, or not end:\n%s", &v.output)
	}
	for _, w := range want {
		switch {
		case slices.Contains(v.failed, w):
			return fmt.Errorf("%s fails without a fault, too:\n%s", w, &v.output)
		case !slices.Contains(v.passed, w):
			return fmt.Errorf("%s was skipped or is not there, so that it catches nothing:\n%s", w, &v.output)
		}
	}
	return nil
}
