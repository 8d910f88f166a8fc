package relocate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"piwork/app/durable"
)

// Options of [Plan.Run].
type Options struct {
	// Copy copies a directory of the data directory in its own way, or says that it
	// has none for it. told hears of bytes.
	Copy func(ctx context.Context, rel, from, to string, told func(int64)) (handled bool, err error)
	// Told hears how many bytes were copied, often.
	Told func(done int64)
	// Arrived is called with the new data directory when everything is there, right
	// before it is used. After an error nothing has moved.
	Arrived func(data string) error

	step func(name string) // tests stop the program here
}

// Run moves. The caller sees to it that nobody changes the directories meanwhile.
// After an error everything is as it was. When ctx ends, its cause is the error.
func (p Plan) Run(ctx context.Context, o Options) (err error) {
	step := func(name string) {
		if o.step != nil {
			o.step(name)
		}
	}
	if err := one.Acquire(ctx, 1); err != nil {
		return context.Cause(ctx)
	}
	defer one.Release(1)
	now, err := Read(p.r.Config)
	if err != nil {
		return err
	}
	if now.Begun != nil {
		if err := now.Begun.remove(now); err != nil {
			return err
		}
	}
	id := newID()
	now.Begun = &begun{ID: id, To: p.To, Staging: filepath.Join(filepath.Dir(p.To), "."+placeName+"-moving-"+id)}
	if err := now.write(p.r.Config); err != nil {
		return err
	}
	step("begun")
	defer func() {
		if err != nil {
			err = errors.Join(err, p.takeBack(now, step))
		}
	}()
	if err := p.fill(ctx, id, now.Begun.Staging, o, step); err != nil {
		return fmt.Errorf("move the data of piwork to %s: %w", p.To, err)
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if err := rename(now.Begun.Staging, p.To); err != nil {
		return fmt.Errorf("move the data of piwork to %s: %w", p.To, err)
	}
	step("renamed")
	next := Pointer{ID: id, Data: filepath.Join(p.To, dataName), Cache: filepath.Join(p.To, cacheName), Old: append(now.Old, oldDir{Dir: p.r.Data}, oldDir{Dir: p.r.Cache, Keep: p.r.KeepCache})}
	if o.Arrived != nil {
		if err := o.Arrived(next.Data); err != nil {
			return err
		}
	}
	step("arrived")
	if err := next.write(p.r.Config); err != nil {
		return err
	}
	step("moved")
	return nil
}

// takeBack removes what a move that failed made.
func (p Plan) takeBack(now Pointer, step func(string)) error {
	if err := now.Begun.remove(now); err != nil {
		return err // the next start tries again
	}
	step("taken-back")
	now.Begun = nil
	return now.write(p.r.Config)
}

// fill makes the staging folder with everything, durable.
func (p Plan) fill(ctx context.Context, id, staging string, o Options, step func(string)) error {
	if err := os.Mkdir(staging, 0o700); err != nil {
		return err
	}
	if err := makePrivate(staging); err != nil {
		return err
	}
	step("staging")
	c := &copier{ctx: ctx, o: o, step: step}
	for _, s := range p.sides() {
		if err := c.tree(s.from, filepath.Join(staging, s.in), s.cache, func(rel string) bool { return p.r.skips(s.cache, rel) }); err != nil {
			return err
		}
		step("copied-" + s.in)
	}
	data, err := json.Marshal(marker{V: 1, ID: id})
	if err == nil {
		err = durable.WriteFile(filepath.Join(staging, markerName), append(data, '\n'))
	}
	if err == nil {
		err = syncAll(staging)
	}
	step("synced")
	return err
}

// rename gives the place its name; an empty folder of that name is replaced.
func rename(from, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := durable.RenameDir(from, to); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(to))
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
