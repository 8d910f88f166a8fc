package services

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"piwork/app/audit"
	"piwork/app/durable"
	"piwork/vmhost"
	"piwork/vmhost/network/inspect"
)

const (
	requestsName = "requests.json" // in the directory of a task
	maxEntries   = 500
	saveEvery    = 10 * time.Second
)

// TaskRequest is what a task asked of a service: requests that are alike are one entry.
type TaskRequest struct {
	Service  string    `json:"service"`
	Method   string    `json:"method"`
	Host     string    `json:"host"`
	Path     string    `json:"path" doc:"without the query"`
	Status   int       `json:"status,omitempty" doc:"of the answer"`
	Allowed  bool      `json:"allowed"`
	Reason   string    `json:"reason,omitempty" enum:"rule,no-rule,host,method,path,upgrade,header,busy,gone,unreachable,certificate,encoded,protocol,cut" doc:"why it was refused, or has no answer"`
	Count    int64     `json:"count" doc:"how often"`
	Sent     int64     `json:"sent" doc:"bytes of bodies"`
	Received int64     `json:"received"`
	Last     time.Time `json:"last"`
}

// TaskRequests are those of a task, the latest first.
type TaskRequests struct {
	List []TaskRequest `json:"list"`
	More int64         `json:"more,omitempty" doc:"how many others there were: only the first 500 kinds are listed"`
}

// alike are what entries are told apart by.
type alike struct {
	service, method, host, path, reason string
	status                              int
	allowed                             bool
}

// Requests counts what one task asks for, and keeps it in its directory.
type Requests struct {
	task string
	path string
	o    Options
	lent int // loans; Catalogue.mu

	mu      sync.Mutex
	entries map[alike]*TaskRequest
	fresh   map[alike]*TaskRequest // since the audit log was told last
	more    int64
	dirty   bool
	saved   time.Time
	writing sync.Mutex // before mu
}

// openRequests goes on with those of a directory.
func openRequests(dir string, o Options) *Requests {
	r := &Requests{task: filepath.Base(dir), path: filepath.Join(dir, requestsName), o: o, entries: map[alike]*TaskRequest{}, fresh: map[alike]*TaskRequest{}, saved: o.Now()}
	before, err := readRequests(r.path)
	if err != nil {
		o.Log.Warn("what a task asked of services before cannot be read", "task", r.task, "error", err)
	}
	r.more = before.More
	for _, e := range before.List {
		r.entries[alike{e.Service, e.Method, e.Host, e.Path, e.Reason, e.Status, e.Allowed}] = &e
	}
	return r
}

func readRequests(path string) (TaskRequests, error) {
	out := TaskRequests{List: []TaskRequest{}}
	data, err := durable.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	return out, err
}

// add counts a request.
func (r *Requests) add(q inspect.Request) {
	if r.count(q) {
		if err := r.save(); err != nil {
			r.o.Log.Warn("what a task asked of services cannot be written", "task", r.task, "error", err)
		}
	}
}

// count counts a request, and reports whether it is time to write.
func (r *Requests) count(q inspect.Request) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := alike{q.Service, q.Method, q.Host, q.Path, q.Reason, q.Status, q.Allowed}
	if !count(r.entries, key, q) {
		r.more++
	}
	count(r.fresh, key, q)
	r.dirty = true
	if now := r.o.Now(); now.Sub(r.saved) >= saveEvery {
		r.saved = now
		return true
	}
	return false
}

// count adds a request to its entry, unless there would be too many.
func count(all map[alike]*TaskRequest, key alike, q inspect.Request) bool {
	e := all[key]
	if e == nil {
		if len(all) >= maxEntries {
			return false
		}
		e = &TaskRequest{Service: q.Service, Method: q.Method, Host: q.Host, Path: q.Path, Status: q.Status, Allowed: q.Allowed, Reason: q.Reason}
		all[key] = e
	}
	e.Count++
	e.Sent, e.Received, e.Last = e.Sent+q.Sent, e.Received+q.Received, q.Time.UTC()
	return true
}

// list is what was counted.
func (r *Requests) list() TaskRequests {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := TaskRequests{List: []TaskRequest{}, More: r.more}
	for _, e := range r.entries {
		out.List = append(out.List, *e)
	}
	slices.SortFunc(out.List, func(a, b TaskRequest) int {
		if c := b.Last.Compare(a.Last); c != 0 {
			return c
		}
		return strings.Compare(a.Host+a.Path+a.Method, b.Host+b.Path+b.Method)
	})
	return out
}

// save writes what was counted.
func (r *Requests) save() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	dirty := r.dirty
	r.dirty = false
	r.mu.Unlock()
	if !dirty {
		return nil
	}
	data, err := json.MarshalIndent(r.list(), "", "\t")
	if err == nil {
		err = durable.WriteFile(r.path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write what a task asked of services: %w", err)
	}
	return nil
}

// audit tells the audit log what is new. base says for whom.
func (r *Requests) audit(log *audit.Log, base audit.Record) error {
	r.mu.Lock()
	fresh := r.fresh
	r.fresh = map[alike]*TaskRequest{}
	r.mu.Unlock()
	var errs []error
	for _, e := range fresh {
		one := base
		one.Event = audit.EventRequest
		one.Asked = audit.Asked{Service: e.Service, Method: e.Method, Path: log.Key.Digest(e.Path), Status: e.Status}
		one.Answer = vmhost.AnswerDeny
		if e.Allowed {
			one.Answer = vmhost.AnswerAllow
		}
		one.Traffic = audit.Traffic{Host: e.Host, BytesOut: e.Sent, BytesIn: e.Received, Times: e.Count}
		if err := log.Append(one); err != nil {
			errs = append(errs, fmt.Errorf("record what was asked of a service: %w", err))
		}
	}
	return errors.Join(errs...)
}

// TaskRequests lists what a task asked of services.
func (c *Catalogue) TaskRequests(_ context.Context, task string) (TaskRequests, error) {
	if err := c.o.Exists(task); err != nil {
		return TaskRequests{}, err
	}
	c.mu.Lock()
	live := c.live[task]
	c.mu.Unlock()
	if live != nil {
		return live.list(), nil
	}
	return readRequests(filepath.Join(c.o.TaskDir(task), requestsName))
}
