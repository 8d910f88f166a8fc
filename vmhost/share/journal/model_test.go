//go:build unix

package journal_test

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/model"
)

// PIWORK_MODEL_SEED plays the histories of a seed again, PIWORK_MODEL plays one history.
const (
	envSeed    = "PIWORK_MODEL_SEED"
	envHistory = "PIWORK_MODEL"
	envTime    = "PIWORK_MODEL_TIME" // of each test, instead of its part of three minutes
)

// modelDir makes a directory on tmpfs, or in t.TempDir without one.
func modelDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "piwork-model-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func recorded(r *model.Runner) {
	r.Open = func(dir string, hook func(string)) (*journal.Journal, error) {
		return journal.OpenHooked(dir, journal.Options{}, hook)
	}
}

// The rule is kept to the letter where nobody is at work but a task, without hard links and crashes. With
// a person, two tasks, hard links, or a program that dies in the middle, some histories break it still in words, in
// what stays or in what comes back (openFaults has the shortest of each kind): of these only
// what costs a person a content, a hang, an error or a temporary name counts, until they are mended.
func mostly(r *model.Runner) {
	recorded(r)
	r.Grave = func(h model.History) bool { return !h.Plain() }
}

// openFaults are known faults: whoever mends one takes it out.
var openFaults = []string{
	// Redo of a directory that took another's place with something in it, after undo of a part.
	"hard: rename A B/y; mkdir A; unlink B/y/x; mkdir A/x; part 0; undo; redo",
	// A directory that a task made, removed by a second one, is another when that is undone.
	"big: mkdir B/y; 2 rmdir B/y; undo 2; undo",
	// A file with several names, of which a person moved, replaced or deleted one.
	"hard: P delete A/y; append B/x; P move A/x A/y; undo",
	"hard: link A/x A/z; P replace A/x; append B/x; undo",
	"hard: link B/x A/z; unlink B/x; P delete A/z; undo",
	"one: link A/x B/x; P move B/x A/y; unlink A/x; undo",
	"nested: link A/B/x A/B/y; P move A/B/y B; rename B A/y; P replace A/y; undo",
	"nested: #A/B/x write; unlink A/y; link A/B/x A/y; P delete A/B/x; undo",
	// A directory of the task stays for a file that a person saved somewhere else.
	"nested: mkdir B; P new B/x; rename B/x A/B/y; P save A/B/y; undo",
	// The time of a directory in which undo put back and removed again what is in a person's way.
	"hard: unlink A/x; rename B A/x; P new B; undo",
	// A directory in the place of another keeps its own attributes.
	"one: unlink A/x; rmdir A; P move B A; rmdir A; undo",
}

// Each known fault is one still.
func TestModelOpenFaults(t *testing.T) {
	tier.Unraced(t)
	for _, text := range openFaults {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			h, err := model.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			r := &model.Runner{Dir: modelDir(t), Limit: 10 * time.Second}
			r.JDir = r.Dir
			recorded(r)
			if f, err := r.Play(h); err != nil || f == nil {
				t.Errorf("it is mended: take it out of openFaults (%v)", err)
			}
		})
	}
}

// A person who reads a history may play it.
func TestModelHistory(t *testing.T) {
	text := os.Getenv(envHistory)
	if text == "" {
		t.Skip("plays the history in " + envHistory)
	}
	h, err := model.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	r := &model.Runner{Dir: modelDir(t), Limit: 10 * time.Second}
	r.JDir = r.Dir
	recorded(r)
	model.WatchSyncs()
	f, err := r.Play(h)
	if err != nil {
		t.Fatal(err)
	}
	if f != nil {
		t.Error(f)
	}
}

// modelSeed returns the seed from the environment, or a new one.
func modelSeed(t *testing.T) uint64 {
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv(envSeed), strconv.FormatUint(rand.Uint64()>>1, 10)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

// played says what came of histories.
func played(t *testing.T, seed uint64, res *model.Result) {
	t.Helper()
	t.Logf("%s=%d: %d histories in %.1f s, %d failed", envSeed, seed, res.Histories, res.Took.Seconds(), res.Failed)
	if res.Err != nil {
		t.Error(res.Err)
	}
	if res.Failed > 0 {
		t.Error(res)
	}
}

// modelTime is how long a part of an ordinary run takes.
func modelTime(t *testing.T, part time.Duration) time.Duration {
	if s := os.Getenv(envTime); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return part
}

// modelWorkers are more than processors: a person waits a little before they save what is open.
const modelWorkers = 16

// Short histories of a task with nobody else at work end as the rule has it: a random part of them. With a
// person one in some thousands loses something still (openFaults); all are in TestModelEveryShortHistory.
func TestModelShortHistories(t *testing.T) {
	tier.Unraced(t)
	seed := modelSeed(t)
	pick := model.Random(seed)
	next := model.Only(model.History.Plain, func() model.History { return model.Short(pick) })
	played(t, seed, model.Run(modelDir(t), modelWorkers, modelTime(t, 110*time.Second), mostly, next))
}

// Longer histories of a task do, with restarts, undo and redo. Those with a person, two tasks, crashes and
// power cuts are in TestModelAnyHistory: a few in a thousand still lose something.
func TestModelLongHistories(t *testing.T) {
	tier.Unraced(t)
	model.WatchSyncs()
	seed := modelSeed(t)
	pick := model.Random(seed)
	next := model.Only(model.History.Plain, func() model.History { return model.Any(300, pick) })
	played(t, seed, model.Run(modelDir(t), modelWorkers, modelTime(t, 70*time.Second), mostly, next))
}

// Every short history ends as the rule has it. The largest sets come in shards, of which a run plays
// one; PIWORK_MODEL_SHARD says which.
func TestModelEveryShortHistory(t *testing.T) {
	tier.Rest(t, "TestModelShortHistories")
	const shards = 32
	seed := modelSeed(t)
	shard := seed % shards
	if s := os.Getenv("PIWORK_MODEL_SHARD"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		shard = n % shards
	}
	play := func(set model.Set, shard, shards uint64) {
		next, stop := iter.Pull(set.Each(shard, shards))
		defer stop()
		played(t, seed, model.Run(modelDir(t), modelWorkers, 0, recorded, next))
	}
	for _, set := range model.Every {
		play(set, 0, 1)
	}
	t.Logf("shard %d of %d of the largest sets", shard, shards)
	for _, set := range model.Large {
		play(set, shard, shards)
	}
}

// A long history that breaks the rule is found, and shrunk by what made it.
func TestModelAnyHistory(t *testing.T) {
	n := os.Getenv("PIWORK_MODEL_CHECKS")
	if n == "" {
		tier.Rest(t, "TestModelLongHistories")
		n = strconv.Itoa(1_000_000 / modelWorkers)
	}
	tier.Flag(t, "rapid.checks", n)
	tier.Flag(t, "rapid.nofailfile", "true")
	model.WatchSyncs()
	for i := range modelWorkers {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			r := &model.Runner{Dir: modelDir(t), Limit: 10 * time.Second}
			r.JDir = r.Dir
			recorded(r)
			rapid.Check(t, func(rt *rapid.T) {
				h := model.Any(300, func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "of "+strconv.Itoa(n)) })
				f, err := r.Play(h)
				if err != nil {
					t.Fatal(err)
				}
				if f != nil {
					rt.Fatal(f)
				}
			})
		})
	}
}
