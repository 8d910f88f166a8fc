package desktop

import (
	"sync"

	"github.com/google/uuid"

	"piwork/app/api"
	"piwork/app/background/notice"
	"piwork/app/problem"
	"piwork/app/task"
)

// notifier shows messages by the system, once it has begun.
type notifier interface {
	begin(clicked func(data map[string]any)) error
	send(id, title, body string, data map[string]any) error
	end()
}

// taskKey is where the task stands in the data of a message.
const taskKey = "task"

// notes are the messages of a window. Without a system that shows any, sending one
// is unsupported, and everything else goes on. It may be used by several goroutines.
type notes struct {
	by      notifier
	clicked func(task string)

	mu    sync.Mutex
	began bool
	err   error
}

// send shows a message. A newer one about the same task takes the place of the one
// before, where the system can do that.
func (n *notes) send(m api.Notice) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.began {
		n.began = true
		n.err = n.by.begin(n.click)
	}
	if n.err != nil {
		return problem.New(problem.CodeUnsupported).With("what", "notification").Because(n.err)
	}
	id := m.Task
	if id == "" {
		id = uuid.NewString()
	}
	if err := n.by.send(id, notice.Plain(m.Title), notice.Plain(m.Body), map[string]any{taskKey: m.Task}); err != nil {
		return problem.New(problem.CodeUnsupported).With("what", "notification").Because(err)
	}
	return nil
}

// click is a message that was clicked; what comes with it went through the system.
func (n *notes) click(data map[string]any) {
	id, _ := data[taskKey].(string)
	if id != "" && !task.ValidID(id) {
		id = ""
	}
	n.clicked(id)
}

// close takes leave of the system, unless that still asks its person whether
// messages may be shown: the program does not wait for the answer.
func (n *notes) close() {
	if !n.mu.TryLock() {
		return
	}
	defer n.mu.Unlock()
	if n.began && n.err == nil {
		n.by.end()
	}
	n.began = false
}

// windowArgs start another window of this program.
func windowArgs(id string) []string {
	if id == "" {
		return []string{newWindowFlag}
	}
	return []string{windowFlag, "task/" + id}
}
