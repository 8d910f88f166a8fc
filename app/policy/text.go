package policy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"piwork/app/durable"
)

var errNoFile = errors.New("it is no file")

// parseNew is parse of a text that is new: a doubt about a rule is a fault, unless the rule is in
// the file already, whatever its exceptions.
func parseNew(layer Layer, text []byte, there []compiled) ([]compiled, []place, error) {
	doubted := map[string]bool{}
	all := func(RuleException) bool { return true }
	for _, c := range there {
		if c.Doubt != "" {
			doubted[c.strip(all)] = true
		}
	}
	list, places, err := parse(layer, text)
	for _, c := range list {
		if c.Doubt != "" && !doubted[c.strip(all)] {
			return nil, nil, &RuleFault{Layer: layer, Code: FaultRule, Line: c.Line, Column: c.column, Message: c.Doubt}
		}
	}
	return list, places, err
}

// Refuses is why Write would not write a text, nil where it would.
func (e *Engine) Refuses(text string) *RuleFault {
	_, _, err := parseNew(Yours, plain(text), e.Rules().layers[1])
	return faultOf(err, Yours, "")
}

// Write replaces the person's file, when the text has no fault. before, where it is not nil,
// is the text that is replaced: another one is a conflict, and a file that cannot be read is a
// *RuleFault.
func (e *Engine) Write(text string, before *string) error {
	if f := e.Refuses(text); f != nil {
		return f
	}
	e.mu.Lock()
	name := e.path(1)
	var err error
	if before != nil {
		var now string
		if now, err = readText(name); err == nil && now != *before {
			err = ErrChanged
		}
	} else if info, serr := os.Stat(name); serr == nil && !info.Mode().IsRegular() {
		err = faultOf(errNoFile, Yours, name)
	}
	if err == nil {
		err = os.MkdirAll(e.o.Dir, 0o700)
	}
	if err == nil {
		err = durable.WriteFile(name, []byte(text))
	}
	e.current.Store(nil)
	e.mu.Unlock()
	if err != nil {
		return err
	}
	e.Rules()
	return nil
}

// ErrChanged says that the file is another one than was looked at.
var ErrChanged = errors.New("the rules have changed meanwhile")

// Text is the person's file as it is; "" where there is none. One that cannot be read is a
// *RuleFault.
func (e *Engine) Text() (string, error) { return readText(e.path(1)) }

func readText(name string) (string, error) {
	data, err := readFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err == nil && len(data) > MaxFile:
		err = &RuleFault{Code: FaultSize, Message: fmt.Sprintf("more than %d KiB", MaxFile>>10)}
	}
	if errors.Is(err, errNoFile) || err != nil && len(data) > MaxFile {
		return "", faultOf(err, Yours, name)
	}
	return string(data), err
}

// readFile reads a byte more than a file may have.
func readFile(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() { // opening a pipe would wait
		return nil, errNoFile
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}
