package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"piwork/scripts/lib/bench/sharework"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

// How much is done once.
const (
	shareLarge   = 64 << 20 // bytes of the large file
	shareSmall   = 2000     // small files
	shareJournal = 1000     // of those with which the journal is measured
	shareRandom  = 2000     // pieces of 4 KiB
)

// shareWork is one thing that is measured.
type shareWork struct {
	name     string  // in the name of its row
	do       string  // in package sharework, or "" for a program
	of       float64 // how much it does, in the unit of the row
	unit     string  // of the rate, of which more is better; "" is a time
	argv     []string
	prepares bool // what others need, and has no row
	new      bool // in a directory of its own, with small files of a person unless it makes them
}

// place is a folder in which is worked, as the guest has it.
type place struct{ name, dir string }

// Places.
var (
	ours       = place{"virtiofs-rw", mountOurs + "/rw"}
	oursRO     = place{"virtiofs-ro", mountOurs + "/ro"}
	recorded   = place{"journal", mountOurs + "/far"} // its journal is on another file system
	unrecorded = place{"unrecorded", mountOurs + "/free"}
	port       = place{"9p-rw", mountPort + "/rw"}
	bare       = place{"bare port", ""}
	theirs     = place{"virtio-9p", mountTheirs + "/rw"}
	theirsRO   = place{"virtio-9p-ro", mountTheirs + "/ro"}
	daemon     = place{"virtiofsd", mountDaemon + "/daemon"}
)

// shareGroup is works that are done one after the other in the same place, each
// of which finds what the one before it left.
type shareGroup struct {
	works []shareWork
	pairs [][2]place // which are compared
}

var (
	seqWrite = shareWork{name: "seq-write", do: "seq-write", of: shareLarge >> 20, unit: "MB/s"}
	seqRead  = shareWork{name: "seq-read", do: "seq-read", of: shareLarge >> 20, unit: "MB/s"}
	stat     = shareWork{name: "stat", do: "stat", of: 3 * shareSmall, unit: "1/s"}
	walk     = shareWork{name: "walk", do: "walk", of: shareSmall, unit: "1/s"}
)

var (
	pairsRW = [][2]place{{ours, theirs}, {port, theirs}, {ours, daemon}}
	areas   = map[[2]place]string{{ours, daemon}: "virtiofsd", {port, bare}: "port"}
)

var shareGroups = []shareGroup{
	{works: []shareWork{seqWrite, seqRead, {name: "rand4k", do: "rand4k", of: shareRandom, unit: "1/s"}}, pairs: pairsRW},
	{works: []shareWork{{name: "create", do: "create", of: shareSmall, unit: "1/s"}, stat, walk,
		{name: "remove", do: "remove", of: shareSmall, unit: "1/s"}}, pairs: pairsRW},
	{works: []shareWork{seqRead, {name: "rand4k", do: "rand4k-ro", of: shareRandom, unit: "1/s"}, stat, walk}, pairs: [][2]place{{oursRO, theirsRO}}},
	{works: []shareWork{
		{name: "git-clone", argv: []string{"/usr/bin/git", "clone", "-q", repository, "clone"}},
		{name: "git-status", argv: []string{"/usr/bin/git", "-C", "clone", "status", "--short"}},
	}, pairs: [][2]place{{ours, theirs}}},
	{works: []shareWork{{name: "seq-write", do: "seq-write", prepares: true}, seqRead}, pairs: [][2]place{{port, bare}}},
	{works: []shareWork{{name: "new", do: "create", new: true}, {name: "overwrite", do: "overwrite", new: true}, {name: "delete", do: "remove", new: true}},
		pairs: [][2]place{{recorded, unrecorded}}},
}

// rowName is the name of a row.
func rowName(pair [2]place, w shareWork) string {
	area := areas[pair]
	if area == "" {
		area = pair[0].name
	}
	return "share/" + area + "/" + w.name
}

// shareBench measures folders in a guest.
func shareBench(ctx context.Context, e env, runs int) (rows []row, err error) {
	m, err := prepare(ctx, e)
	if err != nil {
		return nil, err
	}
	tools, err := comparatorTools(ctx, e.cache)
	if err != nil {
		return nil, err
	}
	b := &shareRun{times: map[string][]time.Duration{}, dir: e.dir, runs: runs, rows: e.rows}
	spec := shareSpec{tools: tools, m: m, dir: filepath.Join(e.dir, "sockets"), theirs: filepath.Join(e.dir, "theirs"), daemon: true}
	if spec.initrd, err = shareInitramfs(ctx, e); err != nil {
		return nil, err
	}
	f, err := newShareFolders(e.dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	if err := os.Mkdir(spec.dir, 0o700); err != nil {
		return nil, err
	}
	if b.vm, err = startShares(ctx, spec, f.fast, f.slow); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.vm.console())
		}
		err = errors.Join(err, b.vm.end())
	}()
	if err := b.measure(ctx); err != nil {
		return nil, err
	}
	rows = b.report()
	if b.wants(undoName) {
		undo, err := undoRow(ctx, e, runs)
		if err != nil {
			return nil, err
		}
		rows = append(rows, undo)
	}
	return rows, nil
}

// shareFolders are the folders of the host.
type shareFolders struct {
	fast, slow *share.Set
	journals   []*journal.Journal
	far        string // a directory on another file system
}

// newShareFolders makes them in dir: what is to be read is there, the same for
// both sides.
func newShareFolders(dir string) (*shareFolders, error) {
	f := &shareFolders{fast: share.NewSet(share.Options{}), slow: share.NewSet(share.Options{})}
	for _, d := range []string{"rw", "ro", "free", "far", "port", "theirs/rw", "theirs/ro", "theirs/daemon"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return f, err
		}
	}
	for _, d := range []string{"ro", "theirs/ro"} {
		for _, do := range []string{"seq-write", "create"} {
			if _, err := sharework.Works[do](sharework.Order{Dir: filepath.Join(dir, d), Size: shareLarge, N: shareSmall}); err != nil {
				return f, err
			}
		}
	}
	var err error
	if f.far, err = os.MkdirTemp("/dev/shm", "pw-bench"); err != nil {
		return f, err
	}
	add := func(set *share.Set, name, at string, ro bool) error {
		j, err := journal.Open(at, journal.Options{})
		if err != nil {
			return err
		}
		f.journals = append(f.journals, j)
		_, err = set.Add(share.Folder{ID: name, Path: filepath.Join(dir, name), Name: name, ReadOnly: ro}, j)
		return err
	}
	store, err := share.Unrecorded(filepath.Join(dir, "free"))
	if err == nil {
		_, err = f.fast.AddStore(share.Folder{ID: "free", Name: "free"}, store)
	}
	err = errors.Join(err, add(f.fast, "rw", filepath.Join(dir, "journal-rw"), false), add(f.fast, "ro", filepath.Join(dir, "journal-ro"), true),
		add(f.fast, "far", filepath.Join(f.far, "journal"), false))
	if err == nil {
		var j *journal.Journal
		if j, err = journal.Open(filepath.Join(dir, "journal-port"), journal.Options{}); err == nil {
			f.journals = append(f.journals, j)
			_, err = f.slow.Add(share.Folder{ID: "port", Path: filepath.Join(dir, "port"), Name: "rw"}, j)
		}
	}
	return f, err
}

func (f *shareFolders) close() error {
	f.fast.Close()
	f.slow.Close()
	var errs []error
	for _, j := range f.journals {
		errs = append(errs, j.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(f.far))...)
}
