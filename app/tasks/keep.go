package tasks

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"piwork/app/filename"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/durable"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// keepResults finds what an operation made: in a folder it is there already,
// from elsewhere in the runtime it is copied to the task's results.
func (env *environment) keepResults(made []wire.ToolFile) ([]task.Result, error) {
	var out []task.Result
	for i, f := range made {
		if r, ok := inFolder(env.shared(), f); ok {
			out = append(out, r)
			continue
		}
		r, err := env.bringOut(i, f)
		if err != nil {
			return out, fmt.Errorf("bring out a result: %w", err)
		}
		out = append(out, r)
	}
	return out, nil
}

// inFolder says where in the folders a file of the guest is.
func inFolder(folders []task.Folder, f wire.ToolFile) (task.Result, bool) {
	for _, folder := range folders {
		rel, ok := strings.CutPrefix(f.Path, wire.FoldersDir+"/"+folder.Name+"/")
		if ok && rel != "" && path.Clean(f.Path) == f.Path {
			return task.Result{Folder: folder.ID, Path: rel, Size: f.Size, SHA256: f.SHA256}, true
		}
	}
	return task.Result{}, false
}

// bringOut copies a file out of the runtime. It appears in the results whole or
// not at all, and only as the operation said it is.
func (env *environment) bringOut(index int, f wire.ToolFile) (task.Result, error) {
	if f.Size > task.MaxResult {
		return task.Result{}, problem.New(problem.CodeOutputLimit).With("size", f.Size).With("max", task.MaxResult)
	}
	dir := env.l.o.Store.ResultsDir(env.l.id)
	tmp, err := os.CreateTemp(dir, ".result-*")
	if err != nil {
		return task.Result{}, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	unlike := problem.New(problem.CodeToolFailed).With("path", f.Path).With("name", path.Base(f.Path)).Because(fmt.Errorf("%s is not as the operation said", f.Path))
	sink := &limitedSink{f: tmp, sum: sha256.New(), left: f.Size, unlike: unlike}
	ctx, cancel := context.WithCancelCause(env.l.ctx)
	defer cancel(nil)
	obs, err := env.Execute(ctx, vmhost.Action{
		Exec: &wire.ExecParams{ID: env.l.id + "-out-" + strconv.Itoa(index), Argv: []string{"cat", "--", f.Path}},
		OnOutput: func(o wire.ExecOutput) {
			if o.Stream == wire.Stdout {
				if err := sink.write(o.Data); err != nil {
					cancel(err)
				}
			}
		},
	})
	if err = cmp.Or(sink.err, err); err != nil {
		return task.Result{}, err
	}
	if p := problem.FromEnd(*obs.Exec); p != nil {
		return task.Result{}, p
	}
	sum := hex.EncodeToString(sink.sum.Sum(nil))
	if sink.left != 0 || sum != f.SHA256 {
		return task.Result{}, sink.unlike
	}
	if err := errors.Join(tmp.Sync(), tmp.Close()); err != nil { // Windows moves no file that is open
		return task.Result{}, err
	}
	name, err := nameResult(tmp.Name(), dir, path.Base(f.Path), index)
	if err != nil {
		return task.Result{}, err
	}
	return task.Result{Path: name, Size: f.Size, SHA256: sum}, nil
}

// maxNames is how many names nameResult tries. Tests have it try fewer.
var maxNames = 10_000

// nameResult gives a file another name in dir, in the place of its own, and returns it:
// the result name of name and index, or of the next index whose result name nothing has.
// No result replaces another: of "2 a.txt" and "a.txt", the second is "3 a.txt".
func nameResult(file, dir, name string, index int) (string, error) {
	for n := index; ; n++ {
		free := resultName(name, n)
		err := durable.MoveNew(file, filepath.Join(dir, free))
		if err == nil {
			return free, nil
		}
		if !os.IsExist(err) {
			return "", err
		}
		if n-index >= maxNames {
			return "", problem.New(problem.CodeOutputExists).With("path", name).With("name", name).Because(err)
		}
	}
}

// resultName is the name of a result on the host: that in the guest, which is
// not trusted, where it is an ordinary one.
func resultName(name string, index int) string {
	return filename.Numbered(filename.Plain(name, "result"), index)
}

// limitedSink writes to a file no more than was announced.
type limitedSink struct {
	f    *os.File
	sum  hash.Hash
	left int64
	err  error

	unlike error // of another file than was announced
}

func (s *limitedSink) write(data []byte) error {
	if s.err != nil {
		return s.err
	}
	if int64(len(data)) > s.left {
		s.err = s.unlike
		return s.err
	}
	s.left -= int64(len(data))
	s.sum.Write(data)
	_, s.err = s.f.Write(data)
	return s.err
}
