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

// Every short history ends as the rule has it: a random part of them in an ordinary run.
func TestModelShortHistories(t *testing.T) {
	tier.Unraced(t)
	seed := modelSeed(t)
	pick := model.Random(seed)
	next := model.Restricted(func() model.History { return model.Short(pick) })
	played(t, seed, model.Run(modelDir(t), modelWorkers, modelTime(t, 110*time.Second), recorded, next))
}

// Longer histories do, with two tasks, with restarts, crashes and power cuts.
func TestModelLongHistories(t *testing.T) {
	tier.Unraced(t)
	model.WatchSyncs()
	seed := modelSeed(t)
	pick := model.Random(seed)
	next := model.Restricted(func() model.History { return model.Any(300, pick) })
	played(t, seed, model.Run(modelDir(t), modelWorkers, modelTime(t, 70*time.Second), recorded, next))
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
