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
	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/network/inspect"
)

const (
	requestsName = "requests.json" // in the directory of a task
	maxAllowed   = 400             // kinds of requests in the list
	maxRefused   = 100
	maxFresh     = 50 // of each, for the audit log, which takes milliseconds for one; allowed ones that it did not take are kept beyond that
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
	Said     string    `json:"said,omitempty" doc:"the reason, in the language asked for"`
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

// Requests counts what one task asks for, and keeps it in its directory and in the audit log.
type Requests struct {
	task string
	path string
	o    Options
	lent int // loans; Catalogue.mu

	mu      sync.Mutex
	entries tally
	fresh   tally // what the audit log does not have, by loan
	more    int64
	dirty   bool
	timer   *time.Timer // to the next save; nil while there is none
	over    bool
	writing sync.Mutex // before mu
}

// openRequests goes on with those of a directory; without one, only the audit log has them.
func openRequests(dir string, o Options) *Requests {
	if dir == "" {
		return &Requests{o: o, entries: tally{most: [2]int{maxRefused, maxAllowed}}, fresh: newFresh()}
	}
	task := filepath.Base(dir)
	r := &Requests{task: task, path: filepath.Join(dir, requestsName), o: o, entries: tally{most: [2]int{maxRefused, maxAllowed}}, fresh: newFresh()}
	before, err := readRequests(r.path)
	if err != nil {
		o.Log.Warn("what a task asked of services before cannot be read", "task", r.task, "error", err)
	}
	r.more = before.More
	for _, e := range before.List {
		r.entries.add(nil, e)
	}
	return r
}

func newFresh() tally { return tally{most: [2]int{maxFresh, maxAllowed}} }

func readRequests(path string) (TaskRequests, error) {
	out := TaskRequests{List: []TaskRequest{}}
	data, err := durable.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return out, problem.New(problem.CodeRecordDamaged).By("requests").With("task", filepath.Base(filepath.Dir(path))).Because(fmt.Errorf("%s: %w", requestsName, err))
	}
	return out, nil
}

// add counts a request for whom by says. One that was allowed waits for the audit log where that
// has to be told of others first; those that were refused, which a guest makes as fast as it
// likes, do not.
func (r *Requests) add(by *audit.Record, q inspect.Request) {
	one := TaskRequest{
		Service: q.Service, Method: q.Method, Host: q.Host, Path: q.Path, Status: q.Status, Allowed: q.Allowed, Reason: q.Reason,
		Count: 1, Sent: q.Sent, Received: q.Received, Last: q.Time.UTC(),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for one.Allowed && !r.over && !r.fresh.room(by, one, maxFresh) {
		r.mu.Unlock()
		err := r.write()
		r.report(err)
		r.mu.Lock()
		if err != nil {
			break // fresh keeps what the audit log did not take
		}
	}
	if !r.entries.add(nil, one) {
		r.more++
	}
	r.fresh.add(by, one)
	r.wake()
}

// wake has what is new written soon. Requests.mu is held.
func (r *Requests) wake() {
	if r.dirty = true; r.timer == nil && !r.over {
		r.timer = time.AfterFunc(saveEvery, r.save)
	}
}

// save writes when its time has come.
func (r *Requests) save() {
	r.mu.Lock()
	r.timer = nil
	r.mu.Unlock()
	r.report(r.write())
}

func (r *Requests) report(err error) {
	if err != nil {
		r.o.Log.Warn("what a task asked of services cannot be written", "task", r.task, "error", err)
	}
}

// close writes for the last time, and waits for a write that is under way.
func (r *Requests) close() error {
	err := r.write()
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over = true; r.timer != nil {
		r.timer.Stop() // one that runs already finds that it is over
	}
	return err
}

// list is what was counted.
func (r *Requests) list() TaskRequests {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := TaskRequests{List: []TaskRequest{}, More: r.more}
	for _, e := range r.entries.kinds {
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

// write writes what was counted, and tells the audit log what is new. What fails is tried
// again with the next.
func (r *Requests) write() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	dirty, fresh := r.dirty && !r.over, r.fresh
	if dirty {
		r.dirty, r.fresh = false, newFresh()
	}
	r.mu.Unlock()
	if !dirty {
		return nil
	}
	var errs []error
	for k, e := range fresh.kinds {
		if err := r.record(*k.by, *e); err != nil {
			errs = append(errs[:0], fmt.Errorf("record what was asked of a service: %w", err))
			r.mu.Lock()
			r.fresh.add(k.by, *e)
			r.mu.Unlock()
		}
	}
	data, err := json.MarshalIndent(r.list(), "", "\t")
	if err == nil && r.path != "" {
		err = durable.WriteFile(r.path, append(data, '\n'))
	}
	if err != nil {
		errs = append(errs, fmt.Errorf("write what a task asked of services: %w", err))
	}
	if len(errs) > 0 {
		r.mu.Lock()
		r.wake()
		r.mu.Unlock()
	}
	return errors.Join(errs...)
}

// record tells the audit log of an entry.
func (r *Requests) record(one audit.Record, e TaskRequest) error {
	log := r.o.Audit
	one.Event = audit.EventRequest
	one.Asked = audit.Asked{Service: e.Service, Method: e.Method, Path: log.Key.Digest(e.Path), Status: e.Status}
	one.Answer = vmhost.AnswerDeny
	if e.Allowed {
		one.Answer = vmhost.AnswerAllow
	}
	one.Traffic = audit.Traffic{Host: e.Host, BytesOut: e.Sent, BytesIn: e.Received, Times: e.Count}
	return log.Append(one)
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
