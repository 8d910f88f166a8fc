package vm

import (
	"sync"
	"time"
)

// Mark is a point on the way to a machine that is ready.
type Mark struct {
	Name  string
	After time.Duration // since connecting began with this machine
}

// marks collects them; the zero value is ready.
type marks struct {
	mu    sync.Mutex
	began time.Time
	all   []Mark
}

func (m *marks) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began, m.all = time.Now(), nil
}

func (m *marks) mark(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, Mark{name, time.Since(m.began)})
}

// Marks says where the time went until the VM was ready, for measuring; empty
// before.
func (v *VM) Marks() []Mark {
	m := v.machine()
	if m == nil {
		return nil
	}
	m.marks.mu.Lock()
	defer m.marks.mu.Unlock()
	return append([]Mark{}, m.marks.all...)
}
