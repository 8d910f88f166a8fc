package aitask

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"piwork/app/filename"
	"piwork/app/task"
	"piwork/pack/durable"
	"piwork/vmhost/share"
)

// agentResults is where in the state directory an agent puts files aside for the person.
const agentResults = "results"

// keepsAtMost bounds what one run of an agent puts aside. Tests lower it.
var keepsAtMost = struct {
	files int   // that are new, or changed
	file  int64 // bytes of one
	all   int64 // bytes of all: a link counts once in the state, but each of its names is a copy here
}{500, task.MaxResult, share.DefaultStateBytes}

// Codes of notices of results that are left out. Each names the first one (file), and how many
// more there are.
const (
	noticeResultsLeft   = "results-left"   // there are too many, or they are too much in all
	noticeResultsLarge  = "results-large"  // one alone is too large
	noticeResultsFailed = "results-failed" // they cannot be read or written
)

// errLeft is a result that is left out, for what the notice of that code says.
type errLeft string

func (e errLeft) Error() string { return "a result is left out: " + string(e) }

// keepAgentResults takes what the agent put into /state/results, in dir on the host, over into the
// task's results. The guest made names and links there: nothing is followed, and
// what is no ordinary file is left. A file of the same name as one before replaces
// it. What cannot be kept is left out, which a notice says; what else there is, is kept.
func (c *Conversation) keepAgentResults(dir string) error {
	ctx, end := c.lasting()
	defer end()
	state, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("look at the results of the agent: %w", err)
	}
	defer state.Close()
	root, err := state.OpenRoot(agentResults) // a link that the guest put there leads nowhere else
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	k := c.keeping(ctx)
	if err == nil {
		defer root.Close()
		k.root = root
		err = fs.WalkDir(root.FS(), ".", k.visit)
	} else { // such as a file of that name
		k.leave(agentResults, err)
		err = nil
	}
	k.record()
	if err != nil {
		return fmt.Errorf("keep the results of the agent: %w", err)
	}
	return nil
}

// lasting is the context of the task, and the time that is left after its end: what was made until
// the task is stopped is kept.
func (c *Conversation) lasting() (context.Context, context.CancelFunc) {
	if c.o.Context.Err() != nil {
		return c.o.Grace()
	}
	ctx, end := context.WithCancelCause(context.WithoutCancel(c.o.Context))
	stop := context.AfterFunc(c.o.Context, func() {
		left, done := c.o.Grace()
		defer done()
		select {
		case <-left.Done():
			end(context.Cause(left))
		case <-ctx.Done():
		}
	})
	return ctx, func() { stop(); end(nil) }
}

// keeping is one look at what an agent put aside.
type keeping struct {
	c     *Conversation
	ctx   context.Context
	root  *os.Root                    // where the agent put it
	have  map[string]task.Result      // kept in a run before, by filename.Fold of its name
	names map[string]string           // what directories in root are called in the task's results
	taken map[string]bool             // names that something of this run has, by filename.Fold
	next  map[string]int              // the filename.Numbered to try next, by filename.Fold of the name without a number
	room  int64                       // bytes that may still be written
	made  []task.Result               // new, or changed
	tried int                         // how many more could not be kept
	left  map[errLeft]task.NoticeData // what is left out
}

// keeping begins with what the record says was kept before.
func (c *Conversation) keeping(ctx context.Context) *keeping {
	k := &keeping{c: c, ctx: ctx, room: keepsAtMost.all, have: map[string]task.Result{}, left: map[errLeft]task.NoticeData{}}
	k.names, k.taken, k.next = map[string]string{".": ""}, map[string]bool{}, map[string]int{}
	for _, r := range c.o.Last().Results {
		if r.Folder == "" {
			k.have[filename.Fold(r.Path)] = r
		}
	}
	return k
}

// record writes what is kept, and what is left out.
func (k *keeping) record() {
	for _, code := range slices.Sorted(maps.Keys(k.left)) {
		k.c.o.Record(task.EventNotice, k.left[code])
	}
	k.c.replaceResults(k.made)
}

// visit keeps a file. Only an error of which every other file would suffer, too, ends the walk.
func (k *keeping) visit(p string, d fs.DirEntry, err error) error {
	switch {
	case k.ctx.Err() != nil:
		return context.Cause(k.ctx)
	case err != nil: // also of a directory, whose names are then not known
	case d.IsDir(), !d.Type().IsRegular():
		return nil
	case len(k.made)+k.tried == keepsAtMost.files:
		err = errLeft(noticeResultsLeft)
	default:
		var r task.Result
		r, err = k.keep(p)
		switch {
		case err != nil:
			k.tried++
		case k.have[filename.Fold(r.Path)] != r:
			k.made = append(k.made, r)
		}
	}
	switch {
	case k.ctx.Err() != nil:
		return context.Cause(k.ctx)
	case durable.IsFull(err):
		return err
	case err != nil:
		k.leave(p, err)
	}
	return nil
}

// leave notes that a file is not kept.
func (k *keeping) leave(p string, err error) {
	code, chosen := errors.AsType[errLeft](err)
	if !chosen {
		code = noticeResultsFailed
	}
	n, more := k.left[code]
	if more {
		count, _ := n.Params["more"].(int)
		n.Params["more"] = count + 1
	} else {
		n = task.NoticeData{Code: string(code), Params: map[string]any{"file": path.Base(p)}}
		switch code {
		case noticeResultsLarge:
			n.Params["bytes"] = keepsAtMost.file
		case noticeResultsFailed:
			k.c.o.Log.Warn("a result of the agent could not be kept", "error", err)
		}
	}
	k.left[code] = n
}

// name is what a file or directory of the agent is called in the task's results: a plain name,
// which is no other's on any system, nor what was kept before as something of another kind.
// What is there in the next run, too, is called the same again.
func (k *keeping) name(p string, dir bool) string {
	if name, ok := k.names[p]; ok {
		return name
	}
	parent, own := path.Split(p)
	if rest, dot := strings.CutPrefix(own, "."); dot {
		own = "_" + rest
	}
	within, own := k.name(path.Clean(parent), true), filename.Plain(own, "result")
	for next := filename.Fold(path.Join(within, own)); ; {
		name := path.Join(within, filename.Numbered(own, k.next[next]))
		k.next[next]++
		id := filename.Fold(name)
		if old, had := k.have[id]; k.taken[id] || had && old.Path != name {
			continue
		}
		if info, err := os.Lstat(k.place(name)); err == nil && info.IsDir() != dir {
			continue
		}
		k.taken[id] = true
		if dir {
			k.names[p] = name
		}
		return name
	}
}

// place is where on the host a result is kept.
func (k *keeping) place(name string) string {
	return filepath.Join(k.c.o.Store.ResultsDir(k.c.o.ID), filepath.FromSlash(name))
}

// keep copies one file: it appears whole or not at all.
func (k *keeping) keep(p string) (task.Result, error) {
	in, err := k.root.OpenFile(filepath.FromSlash(p), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return task.Result{}, err
	}
	defer in.Close()
	defer context.AfterFunc(k.ctx, func() { _ = in.Close() })() // ends the copy
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return task.Result{}, errors.Join(err, fmt.Errorf("%s is no ordinary file any more", p))
	}
	if err := k.fits(info.Size()); err != nil {
		return task.Result{}, err
	}
	name := k.name(p, false)
	to := k.place(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return task.Result{}, err
	}
	tmp, err := os.CreateTemp(k.place(""), ".result-*")
	if err != nil {
		return task.Result{}, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(tmp, sum), io.LimitReader(in, min(keepsAtMost.file, k.room)+1)) // it may grow meanwhile
	if err == nil {
		err = k.fits(n)
	}
	k.room = max(0, k.room-n)
	if err == nil {
		err = errors.Join(tmp.Sync(), tmp.Close()) // Windows moves no file that is open
	}
	if err == nil {
		err = os.Rename(tmp.Name(), to)
	}
	if err != nil {
		return task.Result{}, err
	}
	return task.Result{Path: name, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// fits says why a file of that size is left out.
func (k *keeping) fits(size int64) error {
	switch {
	case size > keepsAtMost.file:
		return errLeft(noticeResultsLarge)
	case size > k.room:
		return errLeft(noticeResultsLeft)
	}
	return nil
}

// replaceResults records files of the task's own results, in place of those of the
// same names: results are asked for by their place in the record, which stays theirs.
func (c *Conversation) replaceResults(made []task.Result) {
	if len(made) == 0 {
		return
	}
	if _, err := c.o.Update(func(t *task.Task) {
		t.Results = slices.Clone(t.Results)
		for _, m := range made {
			if i := slices.IndexFunc(t.Results, func(r task.Result) bool { return r.Folder == "" && r.Path == m.Path }); i >= 0 {
				t.Results[i] = m
			} else {
				t.Results = append(t.Results, m)
			}
		}
	}); err != nil {
		c.o.Log.Error("what came of a task could not be written", "error", err)
	}
	for _, r := range made {
		c.o.Record(task.EventResult, r)
	}
}
