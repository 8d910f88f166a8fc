//go:build vm

package app

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"piwork/app/machines"
	"piwork/scripts/lib/kept"
)

func init() {
	AfterTests = append(AfterTests, func() error {
		if firstRun.remove == nil {
			return nil
		}
		return firstRun.remove()
	})
}

// WarmOptions is warmOptions for tests of whole processes.
var WarmOptions = warmOptions

// firstRun is what one run of the program left in its cache for all others.
var firstRun struct {
	once   sync.Once
	dir    string
	remove func() error
	err    error
}

// warmOptions are realOptions of somebody whose computer was proven and who has a
// template already, so that machines are there at once. What a first run does is left
// to TestRealStatusAndExec and TestRealWarmPool.
func warmOptions(t *testing.T) Options {
	t.Helper()
	o := madeOptions(t)
	if err := kept.LinkFile(filepath.Join(firstRun.dir, proofsFile), filepath.Join(o.CacheDir, proofsFile)); err != nil {
		t.Fatal(err)
	}
	return o
}

// madeOptions are warmOptions of somebody whose computer was started anew since.
func madeOptions(t *testing.T) Options {
	t.Helper()
	o := realOptions(t)
	firstRun.once.Do(func() { firstRun.err = runFirst(t, o) })
	if firstRun.err == nil {
		firstRun.err = kept.LinkTemplates(filepath.Join(firstRun.dir, machines.TemplatesDir), filepath.Join(o.CacheDir, machines.TemplatesDir))
	}
	if firstRun.err != nil {
		t.Fatal(firstRun.err)
	}
	return o
}

// runFirst has a controller prepare machines, in a cache that outlives its test.
func runFirst(t *testing.T, o Options) (err error) {
	if firstRun.dir, firstRun.remove, err = kept.Dir("first"); err != nil {
		return err
	}
	o.CacheDir = firstRun.dir
	c, err := Open(t.Context(), o)
	if err != nil {
		return err
	}
	m, err := c.PrepareMachines(t.Context())
	if err == nil && m.Instant.State != machines.WarmReady {
		err = errors.New("no template was made")
	}
	return errors.Join(err, c.Close(t.Context()))
}
