package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"piwork/app/durable"
	"piwork/vmhost"
)

// ErrNoRule says that there is no rule of an id.
var ErrNoRule = errors.New("no such rule")

// Rule is a decision that goes on: of a topic, in a task while it runs, in a
// folder, or everywhere.
type Rule struct {
	ID      string    `json:"id"`
	Task    string    `json:"task,omitempty"`   // only in this task, and only while it runs
	Folder  string    `json:"folder,omitempty"` // only in this folder of the host
	Topic   string    `json:"topic"`            // what it is about, as questions say it
	Answer  string    `json:"answer"`           // "allow" or "deny"
	Created time.Time `json:"created"`
	Client  string    `json:"client,omitempty" doc:"the program with a token that decided this; without it a person did"`

	Expires *time.Time `json:"expires,omitempty"` // when it ends; nil is never

	Beforehand bool `json:"beforehand,omitempty"` // it was said when the task was started, and is no answer

	Narrows string `json:"narrows,omitempty" enum:"folder,host" doc:"to what it can be narrowed, besides to a task"` // as it is listed

	Said string `json:"said,omitempty" words:"shown"` // the rule in one line
	Name string `json:"name,omitempty" words:"shown"` // what it is about, where that has a name: an address, a group
}

// Scope is how far the rule reaches, as a decision says it.
func (r Rule) Scope() string {
	switch {
	case r.Task != "":
		return vmhost.ScopeTask
	case r.Folder != "":
		return vmhost.ScopeFolder
	}
	return vmhost.ScopeAlways
}

// over reports whether the rule has ended.
func (r Rule) over(now time.Time) bool { return r.Expires != nil && !now.Before(*r.Expires) }

// same reports whether two rules are about the same.
func (r Rule) same(o Rule) bool {
	return r.Task == o.Task && r.Folder == o.Folder && r.Topic == o.Topic
}

// kept is the content of the file.
type kept struct {
	V     int    `json:"v"`
	Rules []Rule `json:"rules"`
}

// Rules is the list. Its methods may be called from several goroutines at once;
// what returned nil is on the disk.
type Rules struct {
	file    string
	now     func() time.Time
	changed func()

	mu   sync.Mutex
	data []byte // of the file
	disk kept
	list []Rule // of tasks, too; oldest first
}

// OpenRules reads the rules in file; where there is none there are no rules. A
// file that cannot be read is an error: nothing of it is thrown away. changed is called
// when one that outlives its task comes or goes; nil is nobody.
func OpenRules(file string, now func() time.Time, changed func()) (*Rules, error) {
	r := &Rules{file: file, now: now, changed: changed, disk: kept{V: 1}}
	data, err := durable.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r.disk)
	}
	if err != nil {
		return nil, fmt.Errorf("read the rules in %s: %w", file, err)
	}
	r.data, r.list = data, slices.Clone(r.disk.Rules)
	return r, nil
}

// All returns every rule that holds, oldest first.
func (r *Rules) All() []Rule {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(append([]Rule{}, r.list...), func(o Rule) bool { return o.over(now) })
}

// Expire says when a rule ends, nil for never, and returns it.
func (r *Rules) Expire(id string, at *time.Time) (Rule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(o Rule) bool { return o.ID == id && !o.over(r.now()) })
	if i < 0 {
		return Rule{}, ErrNoRule
	}
	list := slices.Clone(r.list)
	list[i].Expires = at
	return list[i], r.replace(list)
}

// ErrChanged says that a rule is another one than was looked at.
var ErrChanged = errors.New("the rule has changed meanwhile")

// ErrDecided says that there is another decision about the same, which says otherwise.
var ErrDecided = errors.New("another decision is about the same")

// Narrow has a rule that is about what was hold for less, and returns it. Of two at the same
// moment one is done: to is less than what was, and need not be less than what it is now.
func (r *Rules) Narrow(was, to Rule) (Rule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := was.ID
	i := slices.IndexFunc(r.list, func(o Rule) bool { return o.ID == id && !o.over(r.now()) })
	if i < 0 {
		return Rule{}, ErrNoRule
	}
	rule := r.list[i]
	if !rule.same(was) || rule.Answer != was.Answer {
		return Rule{}, ErrChanged
	}
	rule.Task, rule.Folder, rule.Topic = to.Task, to.Folder, to.Topic
	for _, o := range r.list {
		if o.ID != id && o.same(rule) && !o.over(r.now()) {
			return Rule{}, ErrDecided
		}
	}
	list := slices.Clone(r.list)
	list[i] = rule
	return rule, r.replace(list)
}

// Ended removes the rules that have ended, and returns them.
func (r *Rules) Ended() ([]Rule, error) {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	var gone []Rule
	list := slices.DeleteFunc(slices.Clone(r.list), func(o Rule) bool {
		if o.over(now) {
			gone = append(gone, o)
		}
		return o.over(now)
	})
	if len(gone) == 0 {
		return nil, nil
	}
	return gone, r.replace(list)
}

// Add adds a rule, in place of one about the same, and returns it with its id.
func (r *Rules) Add(rule Rule) (Rule, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return rule, fmt.Errorf("make an id: %w", err)
	}
	rule.ID, rule.Created = id.String(), r.now().UTC()
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(r.list), rule.same)
	return rule, r.replace(append(list, rule))
}

// Remove takes a rule back and returns it.
func (r *Rules) Remove(id string) (Rule, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(o Rule) bool { return o.ID == id })
	if i < 0 {
		return Rule{}, ErrNoRule
	}
	rule := r.list[i]
	return rule, r.replace(slices.Delete(slices.Clone(r.list), i, i+1))
}

// End forgets the rules of a task that is over.
func (r *Rules) End(task string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(slices.Clone(r.list), func(o Rule) bool { return o.Task == task })
}

// replace writes what has to outlive the tasks, when that is something else than
// before. mu is held.
func (r *Rules) replace(list []Rule) error {
	disk := kept{V: 1, Rules: []Rule{}}
	for _, o := range list {
		if o.Task == "" {
			disk.Rules = append(disk.Rules, o)
		}
	}
	if !slices.Equal(disk.Rules, r.disk.Rules) {
		data, err := durable.MarshalKeeping(r.data, r.disk, disk)
		if err == nil {
			err = durable.WriteFile(r.file, data)
		}
		if err != nil {
			return fmt.Errorf("write the rules to %s: %w", r.file, err)
		}
		r.data, r.disk = data, disk
		if r.changed != nil {
			defer r.changed()
		}
	}
	r.list = list
	return nil
}
