package operate

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// inParts answers with what find finds, as much of it as there is room for, from
// where w says. What has no room is asked for again, of a process that knows
// nothing of this one: so that it need not read all the files a second time, all
// that was found is kept for it, as long as the files that were looked at stay as
// they are. last names an item for [tools.Window].
func inParts[T any](r *job.Job, files []found, w tools.Window, last func(T) string, find func() ([]T, error)) error {
	k := keptAnswer(r, files)
	if w.After != "" {
		if more, err := recall[T](r, k, w.After); err == nil {
			if !more { // nobody asks for more
				k.drop()
			}
			return nil
		}
	}
	all, err := find()
	if err != nil {
		return err
	}
	if tell(r, all, w.After, last) {
		// Without it the answer is the same and takes longer.
		_ = keep(r, k, all, last)
	}
	return nil
}

// tell reports the items after one, and whether there are more than had room.
func tell[T any](r *job.Job, all []T, after string, last func(T) string) (more bool) {
	if after != "" {
		if i := slices.IndexFunc(all, func(v T) bool { return last(v) == after }); i >= 0 {
			all = all[i+1:]
		}
	}
	for i, v := range all {
		if i > 0 && r.Full() {
			r.AddProblem(tools.Problem(tools.MoreResults, last(all[i-1]), ""))
			return true
		}
		r.AddInfo(v)
	}
	r.Done(len(r.Order.Tool.In), r.Order.Tool.In[0])
	return false
}

// maxKept bounds what is kept of an answer, in bytes.
const maxKept = 64 << 20

// kept is the answer of one question about files as they are now: a file with the
// sum of both in its first line, then for each item two lines of JSON, its name and
// the item.
type kept struct {
	path string // "" keeps nothing
	sum  string
}

// keptAnswer is where the answer to the question of this run is, or would be.
func keptAnswer(r *job.Job, files []found) kept {
	if r.Order.Keep == "" {
		return kept{}
	}
	params := maps.Clone(r.Order.Tool.Params)
	delete(params, "after")
	question, err := json.Marshal([]any{r.Op.Name, r.Order.Tool.In, params})
	if err != nil {
		return kept{}
	}
	sum := sha256.New()
	sum.Write(question)
	for _, f := range files {
		number, changed := job.FileNumber(f.info)
		sum.Write(binary.AppendUvarint(nil, uint64(len(f.path))))
		sum.Write([]byte(f.path))
		for _, n := range []int64{f.info.Size(), f.info.ModTime().UnixNano(), int64(job.Device(f.info)), int64(number), changed} {
			sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
		}
	}
	return kept{filepath.Join(r.Order.Keep, r.Op.Name), hex.EncodeToString(sum.Sum(nil))}
}

func (k kept) drop() {
	if k.path != "" {
		_ = os.Remove(k.path) // it is of no use any more, and bounded
	}
}

// keep writes an answer down, in place of what was kept before. It is whole or it is
// not there.
func keep[T any](r *job.Job, k kept, all []T, last func(T) string) error {
	if k.path == "" {
		return nil
	}
	part := r.Scratch("kept") // of this process's user, who may make files there
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	to := bufio.NewWriterSize(f, job.BufferSize)
	_, err = to.WriteString(k.sum + "\n")
	size := 0
	for _, v := range all {
		name, nerr := json.Marshal(last(v))
		item, ierr := json.Marshal(v)
		if size += len(name) + len(item); size > maxKept {
			err = errors.Join(err, errors.New("the answer is too large to be kept"))
		}
		if err = errors.Join(err, nerr, ierr); err != nil {
			break
		}
		for _, line := range [][]byte{name, item} {
			if _, werr := to.Write(append(line, '\n')); werr != nil {
				err = errors.Join(err, werr)
			}
		}
	}
	err = errors.Join(err, to.Flush(), f.Close())
	if err == nil {
		err = os.Rename(part, k.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return nil
}

// recall reports what was kept of an answer after an item, and whether there is more
// than had room. After an error nothing is reported. What is kept is believed as far
// as its form goes: it says no more than an operation says of files.
func recall[T any](r *job.Job, k kept, after string) (more bool, err error) {
	if k.path == "" {
		return false, os.ErrNotExist
	}
	f, _, err := job.OpenInput(k.path, 2*maxKept)
	if err != nil {
		return false, err
	}
	defer f.Close()
	name, err := json.Marshal(after)
	if err != nil {
		return false, err
	}
	infos, answer := len(r.Result.Info), r.Answer
	defer func() {
		if err != nil {
			r.Result.Info, r.Answer = r.Result.Info[:infos], answer
		}
	}()
	from := bufio.NewReaderSize(f, 2*job.MaxItem)
	if sum, err := from.ReadSlice('\n'); err != nil || string(bytes.TrimSuffix(sum, []byte("\n"))) != k.sum {
		return false, errors.Join(err, errors.New("another answer"))
	}
	last := ""
	for here := false; ; {
		line, err := from.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 && here {
			r.Done(len(r.Order.Tool.In), r.Order.Tool.In[0])
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if here && last != "" && r.Full() {
			r.AddProblem(tools.Problem(tools.MoreResults, last, ""))
			return true, nil
		}
		was := bytes.Equal(bytes.TrimSuffix(line, []byte("\n")), name)
		if here {
			err = json.Unmarshal(line, &last)
		}
		line, rerr := from.ReadSlice('\n')
		if err = errors.Join(err, rerr); err != nil {
			return false, err
		}
		if here {
			var v T
			if err := json.Unmarshal(line, &v); err != nil {
				return false, err
			}
			r.AddInfo(v)
		}
		here = here || was
	}
}
