package job

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

// Events writes lines; the first error of writing is kept and ends nothing:
// the work is judged by its files.
type Events struct {
	mu    sync.Mutex
	W     io.Writer
	words int // bytes that programs said
}

// Said passes on what programs write to stderr, as much of it as a caller hears, and one
// byte more, so that it is known that there was more.
func (e *Events) Said(p []byte) {
	e.mu.Lock()
	p = p[:min(len(p), order.MaxSaid+1-e.words)]
	e.words += len(p)
	e.mu.Unlock()
	if len(p) > 0 {
		e.Send(Event{Said: p})
	}
}

// Send writes one event.
func (e *Events) Send(ev Event) {
	b, err := json.Marshal(ev)
	if err != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	// Without a reader the agent is gone, and the machine with it.
	_, _ = e.W.Write(append(b, '\n'))
}

// Names of temporary files beside a target.
const (
	partPrefix = ".piwork-"
	partSuffix = ".part"
)

// IsPart reports whether a path names a temporary file of this package.
func IsPart(p string) bool {
	name := path.Base(p)
	middle, ok := strings.CutPrefix(name, partPrefix)
	middle, ok2 := strings.CutSuffix(middle, partSuffix)
	return ok && ok2 && len(middle) == 26 && strings.Trim(middle, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}
