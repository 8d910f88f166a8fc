package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"piwork/scripts/lib/bench/sharework"
)

// shareRun is the measuring in one machine.
type shareRun struct {
	vm    *shareMachine
	dir   string // of the folders, on the host
	runs  int
	rows  *regexp.Regexp             // which rows are wanted; nil is all
	times map[string][]time.Duration // by group, place and work
}

// wants tells whether a row is measured.
func (b *shareRun) wants(name string) bool { return b.rows == nil || b.rows.MatchString(name) }

// places are those in which a group is done for the rows that are wanted.
func (b *shareRun) places(g shareGroup) []place {
	var out []place
	for _, pair := range g.pairs {
		if slices.ContainsFunc(g.works, func(w shareWork) bool { return !w.prepares && b.wants(rowName(pair, w)) }) {
			for _, p := range pair {
				if !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// repository is what the guest clones: as a file of its own memory, so that only
// writing is the folder's.
const repository = "/tmp/repository"

// bringRepository gives the guest this project's own history.
func (b *shareRun) bringRepository(ctx context.Context) error {
	c := exec.CommandContext(ctx, "git", "bundle", "create", "-q", filepath.Join(b.dir, "rw", "repository"), "HEAD")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("a repository to clone: %w: %s", err, out)
	}
	_, err := b.vm.do(sharework.Order{Do: "copy", Dir: ours.dir + "/repository", Argv: []string{"/root" + repository}})
	return err
}

// measure does everything as often as wanted.
func (b *shareRun) measure(ctx context.Context) error {
	if err := b.bringRepository(ctx); err != nil {
		return err
	}
	for i := range b.runs {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", i+1, b.runs)
		for k, g := range shareGroups {
			if err := b.inTurn(i, k, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// inTurn does each work of a group in each place, beginning with another place
// each round.
func (b *shareRun) inTurn(round, group int, g shareGroup) error {
	places := b.places(g)
	for _, w := range g.works {
		for k := range places {
			p := places[(round+k)%len(places)]
			took, err := b.once(round, p, w)
			if err != nil {
				return fmt.Errorf("%s in %s: %w", w.name, p.name, err)
			}
			key := timesKey(group, p, w)
			b.times[key] = append(b.times[key], took)
		}
	}
	return nil
}

func timesKey(group int, p place, w shareWork) string {
	return fmt.Sprint(group, " ", p.name, " ", w.name)
}

// once does a work in a place.
func (b *shareRun) once(round int, p place, w shareWork) (time.Duration, error) {
	if p == bare {
		if w.prepares {
			return 0, nil
		}
		return b.vm.receive(shareLarge)
	}
	o := sharework.Order{Do: w.do, Dir: p.dir, Size: shareLarge, N: shareSmall, Argv: w.argv}
	switch {
	case w.do == "":
		o.Do = "run"
		if w.name == "git-clone" {
			if err := b.clear(p, "clone"); err != nil {
				return 0, err
			}
		}
	case strings.HasPrefix(w.do, "rand4k"):
		o.N = shareRandom
	case w.new:
		name := fmt.Sprint(w.name, round)
		dir := filepath.Join(b.host(p), name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return 0, err
		}
		if w.do != "create" {
			if _, err := sharework.Works["create"](sharework.Order{Dir: dir, N: shareJournal}); err != nil {
				return 0, err
			}
		}
		o.Dir, o.N = p.dir+"/"+name, shareJournal
	}
	a, err := b.vm.do(o)
	return a.Took, err
}

// host is where a place is on the host.
func (b *shareRun) host(p place) string {
	return filepath.Join(b.dir, map[place]string{ours: "rw", theirs: "theirs/rw", port: "port", recorded: "far", unrecorded: "free"}[p])
}

// clear removes a directory on the host, as a person would.
func (b *shareRun) clear(p place, name string) error {
	return os.RemoveAll(filepath.Join(b.host(p), name))
}

// report makes rows of what was measured.
func (b *shareRun) report() []row {
	var rows []row
	text := map[place]string{}
	for p, argv := range map[place][]string{theirs: b.vm.spec.args(), daemon: b.vm.spec.daemonArgs()} {
		text[p] = strings.ReplaceAll(strings.ReplaceAll(commandText(argv, b.vm.spec.m.dir), b.vm.spec.tools.root, "$DEBIAN"), b.dir, "$DIR")
	}
	text[theirs] = "virtio-9p of " + b.vm.spec.tools.versions + ", mounted with " + theirMount + ": " + text[theirs]
	text[theirsRO] = text[theirs]
	text[daemon] = "virtiofsd (for information): " + text[daemon]
	text[bare] = "the same bytes on a port of their own, with nothing around them"
	text[unrecorded] = "the same folder without a journal"
	for k, g := range shareGroups {
		for _, pair := range g.pairs {
			for _, w := range g.works {
				if name := rowName(pair, w); !w.prepares && b.wants(name) {
					rows = append(rows, w.row(name, text[pair[1]], b.times[timesKey(k, pair[0], w)], b.times[timesKey(k, pair[1], w)]))
				}
			}
		}
	}
	return rows
}

// row is a row of times or of rates.
func (w shareWork) row(name, comparator string, ours, theirs []time.Duration) row {
	r := newRow(name, comparator, ours, theirs)
	if w.unit == "" {
		return r
	}
	r.Unit, r.Better = w.unit, "higher"
	r.Ours, r.Comparator = w.of/median(ours).Seconds(), w.of/median(theirs).Seconds()
	r.Ratio = r.Ours / r.Comparator
	return r
}

var errUndo = errors.New("undo did not bring everything back")
