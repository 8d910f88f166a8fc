package model

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"piwork/vmhost/share/internal/at"
)

// Killer simulates SIGKILL at one step of a journal: each goroutine that reaches a step afterwards waits
// there until the history is over.
type Killer struct {
	mu      sync.Mutex
	left    int // steps until it dies, 0: it does not
	dead    bool
	died    chan struct{}
	release chan struct{}
}

// Hook is what the journal calls at each of its steps.
func (k *Killer) Hook(step string) {
	if step == "ticked" { // it comes by the clock
		return
	}
	k.mu.Lock()
	if !k.dead && k.left > 0 {
		if k.left--; k.left == 0 {
			k.dead = true
			close(k.died)
		}
	}
	dead := k.dead
	k.mu.Unlock()
	if dead {
		<-k.release
	}
}

// arm has it die at the n-th step from now on; 0 disarms it.
func (k *Killer) arm(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.left = n
}

func newKiller() *Killer {
	return &Killer{died: make(chan struct{}), release: make(chan struct{})}
}

// synced is how long each log was when it was synced last, by its path.
var synced sync.Map

// WatchSyncs has power cuts know what was durable. It is called once, before all histories.
func WatchSyncs() {
	at.OnSync(func(f *os.File, _ bool) {
		if filepath.Base(f.Name()) != "log" || !strings.Contains(f.Name(), scratch) {
			return
		}
		if info, err := f.Stat(); err == nil {
			synced.Store(f.Name(), info.Size())
		}
	})
}

// scratch is in the path of every directory of a Runner.
const scratch = "piwork-model-"

// leave prepares the directory of a journal, and of its journal of undos, for the next process. After a
// power cut a log keeps what was synced and the next torn bytes.
func leave(dir string, powerCut bool, torn int) error {
	undos := filepath.Join(dir, "undo")
	if _, err := os.Stat(filepath.Join(undos, "lock")); err == nil {
		if err := leave(undos, powerCut, torn); err != nil {
			return err
		}
	}
	name := filepath.Join(dir, "log")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if powerCut {
		size, _ := synced.Load(name)
		n, _ := size.(int64)
		data = data[:min(len(data), int(n)+torn)]
		if err := os.Remove(filepath.Join(dir, "boot")); err != nil && !os.IsNotExist(err) { // the computer starts again
			return err
		}
	}
	if err := os.Remove(name); err != nil { // the dead one may write on into the old file
		return err
	}
	if err := os.Remove(filepath.Join(dir, "lock")); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}
