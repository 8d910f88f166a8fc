package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"piwork/scripts/lib/bench/sharework"
	"piwork/vmhost/qemu"
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

// repository is what the guest clones: as a file of its own memory, so that only
// writing is the folder's.
const repository = "/tmp/repository"

// shareWork is one thing that is measured.
type shareWork struct {
	name string  // in the name of its row
	do   string  // in package sharework, or "" for a program
	of   float64 // how much it does, in the unit of the row
	unit string  // of the rate, of which more is better; "" is a time
	argv []string
	new  bool // in a directory of its own, with small files of a person unless it makes them
}

// place is a folder in which is worked, as the guest has it.
type place struct {
	name, dir string
	host      string // the same in the bench's directory
}

// Places.
var (
	ours       = place{"virtiofs-rw", mountOurs + "/rw", "rw"}
	oursRO     = place{"virtiofs-ro", mountOurs + "/ro", "ro"}
	recorded   = place{"journal", mountOurs + "/far", "far"} // its journal is on another file system
	unrecorded = place{"unrecorded", mountOurs + "/free", "free"}
	device     = place{"device", mountDevice + "/rw", "device"}
	deviceFree = place{"device-unrecorded", mountDevice + "/free", "device-free"}
	theirs     = place{"virtio-9p", mountTheirs + "/rw", "theirs/rw"}
	theirsRO   = place{"virtio-9p-ro", mountTheirs + "/ro", "theirs/ro"}
	daemon     = place{"virtiofsd", mountDaemon + "/daemon", "theirs/daemon"}
	own        = place{"own disk", mountOwn, ""}
)

// shareGroup is works that are done one after the other in the same place, each
// of which finds what the one before it left, unless they are apart: then only those that
// rows are wanted of are done.
type shareGroup struct {
	works []shareWork
	apart bool
	pairs [][2]place // which are compared
}

var (
	seqWrite = shareWork{name: "seq-write", do: "seq-write", of: shareLarge >> 20, unit: "MB/s"}
	seqRead  = shareWork{name: "seq-read", do: "seq-read", of: shareLarge >> 20, unit: "MB/s"}
	stat     = shareWork{name: "stat", do: "stat", of: 3 * shareSmall, unit: "1/s"}
	walk     = shareWork{name: "walk", do: "walk", of: shareSmall, unit: "1/s"}
)

var (
	pairsRW = [][2]place{{ours, theirs}, {device, theirs}, {deviceFree, theirs}, {ours, daemon}}
	areas   = map[[2]place]string{
		{ours, daemon}: "virtiofsd", {ours, unrecorded}: "journal",
		{ours, own}: "real", {device, own}: "real-device", {ours, device}: "real-ways",
	}
)

var shareGroups = []shareGroup{
	{works: []shareWork{seqWrite, seqRead, {name: "rand4k", do: "rand4k", of: shareRandom, unit: "1/s"}}, pairs: pairsRW},
	{works: []shareWork{{name: "create", do: "create", of: shareSmall, unit: "1/s"}, stat, walk,
		{name: "remove", do: "remove", of: shareSmall, unit: "1/s"}}, pairs: pairsRW},
	{works: []shareWork{seqRead, {name: "rand4k", do: "rand4k-ro", of: shareRandom, unit: "1/s"}, stat, walk}, pairs: [][2]place{{oursRO, theirsRO}}},
	{works: []shareWork{
		{name: "git-clone", argv: []string{"/usr/bin/git", "clone", "-q", repository, "clone"}},
		{name: "git-status", argv: []string{"/usr/bin/git", "-C", "clone", "status", "--short"}},
	}, pairs: [][2]place{{ours, theirs}, {device, theirs}}},
	{works: []shareWork{{name: "new", do: "create", new: true}, {name: "overwrite", do: "overwrite", new: true}, {name: "delete", do: "remove", new: true}},
		pairs: [][2]place{{recorded, unrecorded}}},
	{works: []shareWork{{name: "mixed", do: "mixed", new: true}}, pairs: [][2]place{{ours, unrecorded}}},
	realWorks,
}

// chosen is the place of the way that piwork chooses here (vmhost/vm), beside QEMU's own.
var chosen = map[bool][2]place{true: {ours, theirs}, false: {device, theirs}}[qemu.CanPlugFolders(runtime.GOOS)]

// rowNames are the names of the rows of a work in a pair of places.
func rowNames(pair [2]place, w shareWork) []string {
	area := cmp.Or(areas[pair], pair[0].name)
	names := []string{"share/" + area + "/" + w.name}
	if pair == chosen {
		names = append(names, "share/chosen/"+w.name)
	}
	return names
}

// shareBench measures folders in a guest, and undo.
func shareBench(b *B) {
	for _, g := range shareGroups {
		if len(b.places(g)) > 0 {
			b.shareMachines()
			break
		}
	}
	b.part(undoName, b.undo)
}

func (b *B) shareMachines() {
	spec := shareSpec{m: b.prepare(), tools: b.shareTools(), initrd: b.initramfs("shareguest"), dir: filepath.Join(b.dir, "sockets"), theirs: filepath.Join(b.dir, "theirs")}
	f := b.newShareFolders()
	defer b.end(f.close)
	check(os.Mkdir(spec.dir, 0o700))
	spec.own = realFiles(b)
	v := &shareMachine{spec: spec, served: make(chan error, 2)}
	defer b.end(v.end)
	v.start(b.ctx, f.fast, f.device)
	r := &shareRun{B: b, vm: v, took: map[string][]time.Duration{}}
	r.bringRepository()
	r.realReady()
	for i := range b.runs {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", i+1, b.runs)
		for k, g := range shareGroups {
			r.inTurn(i, k, g)
		}
	}
	r.addRows()
	v.done = true
}

// shareFolders are the folders of the host.
type shareFolders struct {
	fast, device *share.Set
	journals     []*journal.Journal
	far          string // a directory on another file system
}

// newShareFolders makes them: what is to be read is there, the same for both sides.
func (b *B) newShareFolders() *shareFolders {
	f := &shareFolders{fast: share.NewSet(share.Options{}), device: share.NewSet(share.Options{}), far: must(os.MkdirTemp("/dev/shm", "pw-bench"))}
	for _, p := range []place{ours, oursRO, recorded, unrecorded, device, deviceFree, theirs, theirsRO, daemon} {
		dir := filepath.Join(b.dir, p.host)
		check(os.MkdirAll(dir, 0o755))
		if p == oursRO || p == theirsRO {
			for _, do := range []string{"seq-write", "create"} {
				must(sharework.Works[do](sharework.Order{Dir: dir, Size: shareLarge, N: shareSmall}))
			}
		}
	}
	add := func(set *share.Set, dir, name, at string) {
		j := must(journal.Open(filepath.Join(at, "journal-"+dir), journal.Options{}))
		f.journals = append(f.journals, j)
		must(set.Add(share.Folder{ID: dir, Path: filepath.Join(b.dir, dir), Name: name, ReadOnly: name == "ro"}, j))
	}
	add(f.fast, "rw", "rw", b.dir)
	add(f.fast, "ro", "ro", b.dir)
	add(f.fast, "far", "far", f.far)
	add(f.device, "device", "rw", b.dir)
	must(f.fast.AddStore(share.Folder{ID: "free", Name: "free"}, must(share.Unrecorded(filepath.Join(b.dir, unrecorded.host)))))
	must(f.device.AddStore(share.Folder{ID: "free", Name: "free"}, must(share.Unrecorded(filepath.Join(b.dir, deviceFree.host)))))
	return f
}

func (f *shareFolders) close() error {
	f.fast.Close()
	f.device.Close()
	errs := []error{os.RemoveAll(f.far)}
	for _, j := range f.journals {
		errs = append(errs, j.Close())
	}
	return errors.Join(errs...)
}

// shareRun is the measuring in one machine.
type shareRun struct {
	*B
	vm   *shareMachine
	took map[string][]time.Duration // by group, place and work
}

// places are those in which a group is done for the rows that are wanted.
func (b *B) places(g shareGroup) (out []place) {
	for _, pair := range g.pairs {
		if slices.ContainsFunc(g.works, func(w shareWork) bool { return wantsPair(b, pair, w) }) {
			for _, p := range pair {
				if !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// wantsPair tells whether a row of a work in a pair of places is wanted.
func wantsPair(b *B, pair [2]place, w shareWork) bool {
	return slices.ContainsFunc(rowNames(pair, w), b.wants)
}

// wantsWork tells whether any row of a work is wanted.
func (r *shareRun) wantsWork(g shareGroup, w shareWork) bool {
	return slices.ContainsFunc(g.pairs, func(pair [2]place) bool { return wantsPair(r.B, pair, w) })
}

// bringRepository gives the guest this project's own history.
func (r *shareRun) bringRepository() {
	r.program("git", "bundle", "create", "-q", filepath.Join(r.dir, ours.host, "repository"), "HEAD")
	r.vm.do(sharework.Order{Do: "copy", Dir: ours.dir + "/repository", Argv: []string{"/root" + repository}})
}

// inTurn does each work of a group in each place, beginning with another place
// each round.
func (r *shareRun) inTurn(round, group int, g shareGroup) {
	places := r.places(g)
	for _, w := range g.works {
		if g.apart && !r.wantsWork(g, w) {
			continue
		}
		for k := range places {
			p := places[(round+k)%len(places)]
			key := tookKey(group, p, w)
			checkf(try(func() { r.took[key] = append(r.took[key], r.once(round, p, w)) }), "%s in %s", w.name, p.name)
			if w.do == "" { // programs take long
				fmt.Fprintf(os.Stderr, "%s in %s: %.1f s\n", w.name, p.name, r.took[key][len(r.took[key])-1].Seconds())
			}
		}
	}
}

func tookKey(group int, p place, w shareWork) string {
	return fmt.Sprint(group, " ", p.name, " ", w.name)
}

// once does a work in a place.
func (r *shareRun) once(round int, p place, w shareWork) time.Duration {
	host := filepath.Join(r.dir, p.host)
	o := sharework.Order{Do: w.do, Dir: p.dir, Size: shareLarge, N: shareSmall, Argv: w.argv}
	switch {
	case w.do == "":
		o.Do = "run"
		switch w.name {
		case "git-clone":
			check(os.RemoveAll(filepath.Join(host, "clone"))) // as a person would
		case "unpack", "npm-install", "photos":
			r.realAgain(p)
		}
	case strings.HasPrefix(w.do, "rand4k"):
		o.N = shareRandom
	case w.new:
		name := fmt.Sprint(w.name, round)
		dir := filepath.Join(host, name)
		check(os.Mkdir(dir, 0o755))
		if w.do != "create" {
			must(sharework.Works["create"](sharework.Order{Dir: dir, N: shareJournal}))
		}
		o.Dir, o.N = p.dir+"/"+name, shareJournal
	}
	return r.vm.do(o).Took
}

// addRows makes rows of what was measured.
func (r *shareRun) addRows() {
	spec := r.vm.spec
	shown := func(argv []string) string {
		return strings.ReplaceAll(strings.ReplaceAll(commandText(argv, spec.m.dir), spec.tools.root, "$DEBIAN"), r.dir, "$DIR")
	}
	ninep := "QEMU's own virtio-9p, in the same process, mounted with " + theirMount + ": " + shown(spec.args())
	text := map[place]string{
		theirs: ninep, theirsRO: ninep,
		daemon:     spec.tools.versions + " (for information): " + shown(spec.daemonArgs()),
		unrecorded: "the same folder without a journal",
		own:        "the same on the machine's own disk: ext4 on a raw image",
		device:     "the same over the 9p device",
	}
	for k, g := range shareGroups {
		for _, pair := range g.pairs {
			for _, w := range g.works {
				x, y := r.took[tookKey(k, pair[0], w)], r.took[tookKey(k, pair[1], w)]
				for _, name := range rowNames(pair, w) {
					switch {
					case !r.wants(name):
					case w.unit == "":
						r.times(name, text[pair[1]], x, y)
					default:
						r.rates(name, text[pair[1]], w.unit, w.of, x, y)
					}
				}
			}
		}
	}
}
