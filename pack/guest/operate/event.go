package operate

import (
	"encoding/json"
	"io"
	"path"
	"strings"
	"sync"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Order is what a process of this package reads on stdin.
type Order struct {
	Tool    wire.ToolParams `json:"tool"`
	Scratch string          `json:"scratch"` // an empty directory of its own, on a disk with room
}

// Event is one line on stdout. One member is set.
type Event struct {
	Load     *tools.Load        `json:"load,omitempty"`     // how much there is to do, once it is known
	Progress *wire.ToolProgress `json:"progress,omitempty"` // an item is done
	Placing  *string            `json:"placing,omitempty"`  // a temporary file stands beside the target; "" when it does no more
	Ran      *Ran               `json:"ran,omitempty"`      // a program ended
	Result   *wire.ToolResult   `json:"result,omitempty"`   // the last one
}

// events writes lines; the first error of writing is kept and ends nothing:
// the work is judged by its files.
type events struct {
	mu sync.Mutex
	w  io.Writer
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
