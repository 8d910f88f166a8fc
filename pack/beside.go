package pack

import (
	"errors"
	"io"
	"os"

	"piwork/pack/durable"
)

// writeBeside writes a file that others may read, whole or not at all: it is filled
// beside its place, synced, and put there by put, as os.Rename does or durable.MoveNew.
// An error leaves what was there, and nothing else; a kill may leave a hidden file beside
// it. step is told before each step that changes the disk, unless it is nil.
//
// What is inside a store is replaced by writeAtomic, which knows its root.
func writeBeside(out string, put func(tmp, out string) error, step func(name string), fill func(w io.Writer) error) (err error) {
	if step == nil {
		step = func(string) {}
	}
	step("create")
	tmp, err := durable.CreateBeside(out)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close() // may be closed already
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	step("fill")
	if err := fill(tmp); err != nil {
		return err
	}
	step("finish")
	if err := tmp.Chmod(0o644); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	step("rename")
	if err := put(tmp.Name(), out); err != nil {
		return err
	}
	step("end")
	return nil
}
