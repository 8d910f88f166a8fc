package desktop

import (
	"sync"

	"piwork/app/task"
)

// doorstep keeps events until the page is there to hear them: Wails calls a script of
// the page for each, which is not there before. The zero value keeps; emit is set
// before the first event. Its methods may be called from several goroutines.
type doorstep struct {
	emit func(task.Event)

	mu    sync.Mutex
	there bool
	kept  []task.Event
}

// mostKept bounds events that nobody hears. The page reads how things stand when it
// comes, so what is dropped are the oldest.
const mostKept = 1000

func (d *doorstep) tell(e task.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.there {
		d.emit(e)
		return
	}
	if len(d.kept) == mostKept {
		d.kept = d.kept[1:]
	}
	d.kept = append(d.kept, e)
}

// isThere says that the page is, and tells it what was kept.
func (d *doorstep) isThere() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.there = true
	for _, e := range d.kept {
		d.emit(e)
	}
	d.kept = nil
}
