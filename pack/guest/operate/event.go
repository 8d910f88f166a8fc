package operate

import (
	"encoding/json"
	"io"
	"path"
	"strings"
	"sync"

	"piwork/pack/guest/order"
)

// What this process hears and says.
type (
	// Order is what it is to do.
	Order = order.Order
	// Event is what it says meanwhile and at the end.
	Event = order.Event
	// Ran is how a program ended.
	Ran = order.Ran
)

// events writes lines; the first error of writing is kept and ends nothing:
// the work is judged by its files.
type events struct {
	mu    sync.Mutex
	w     io.Writer
	words int // bytes that programs said
}

// said passes on what programs write to stderr, as much of it as a caller hears, and one
// byte more, so that it is known that there was more.
func (e *events) said(p []byte) {
	e.mu.Lock()
	p = p[:min(len(p), order.MaxSaid+1-e.words)]
	e.words += len(p)
	e.mu.Unlock()
	if len(p) > 0 {
		e.send(Event{Said: p})
	}
}

func (e *events) send(ev Event) {
	b, err := json.Marshal(ev)
	if err != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// Without a reader the agent is gone, and the machine with it.
	_, _ = e.w.Write(append(b, '\n'))
}

// Names of temporary files beside a target.
const (
	partPrefix = ".piwork-"
	partSuffix = ".part"
)

// isPart reports whether a path names a temporary file of this package.
func isPart(p string) bool {
	name := path.Base(p)
	middle, ok := strings.CutPrefix(name, partPrefix)
	middle, ok2 := strings.CutSuffix(middle, partSuffix)
	return ok && ok2 && len(middle) == 26 && strings.Trim(middle, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}
