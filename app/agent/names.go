package agent

import (
	"cmp"
	"slices"
	"sync"

	"piwork/app/task"
)

// names remembers what the pictures of messages are called until pi passes the
// messages on: it has no place for names.
type names struct {
	mu      sync.Mutex
	waiting []*named
}

type named struct {
	text   string // as it comes back in the timeline
	images []string
}

// maxNamed bounds how many messages are remembered.
const maxNamed = 256

// expect takes a message that is sent; the function it returns takes it back.
func (n *names) expect(text string, images []Image) (forget func()) {
	if len(images) == 0 {
		return func() {}
	}
	m := &named{text: start(text, maxText)}
	for _, i := range images {
		name := cmp.Or(i.Name, i.MediaType)
		m.images = append(m.images, line(name, maxName))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) < maxNamed {
		n.waiting = append(n.waiting, m)
	}
	return func() { n.drop(m) }
}

func (n *names) drop(m *named) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting = slices.DeleteFunc(n.waiting, func(o *named) bool { return o == m })
}

// give names the pictures of a message, when it is one that waits.
func (n *names) give(e Entry) Entry {
	d, ok := e.Data.(task.MessageData)
	if !ok || len(d.Images) == 0 {
		return e
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.IndexFunc(n.waiting, func(m *named) bool { return m.text == d.Text && len(m.images) == len(d.Images) })
	if i >= 0 {
		d.Images = n.waiting[i].images
		n.waiting = slices.Delete(n.waiting, i, i+1)
		e.Data = d
	}
	return e
}
