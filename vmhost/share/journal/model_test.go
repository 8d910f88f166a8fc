//go:build unix

package journal_test

import (
	"cmp"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/model"
)

// PIWORK_MODEL_SEED plays the histories of a seed again, PIWORK_MODEL plays one history.
const envSeed, envHistory = "PIWORK_MODEL_SEED", "PIWORK_MODEL"

// modelDir is a directory in memory where there is one.
func modelDir(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "piwork-model-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func recorded(r *model.Runner) {
	r.Open = func(dir string) (*journal.Journal, error) { return journal.Open(dir, journal.Options{}) }
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
	r.JDir = r.Dir + "/j"
	recorded(r)
	if err := os.Mkdir(r.JDir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := r.Play(h)
	if err != nil {
		t.Fatal(err)
	}
	if f != nil {
		t.Error(f)
	}
}

// Every short history ends as the rule has it: a random part of them in an ordinary run.
func TestModelEveryShortHistory(t *testing.T) {
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv(envSeed), strconv.FormatUint(rand.Uint64()>>1, 10)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	most := tier.Pick(10*time.Second, 10*time.Second, 0)
	if s := os.Getenv("PIWORK_MODEL_TIME"); s != "" {
		most, _ = time.ParseDuration(s)
	}
	pick := model.Random(seed)
	next := func() (model.History, bool) { return model.Short(pick), true }
	res := model.Run(modelDir(t), 16, most, recorded, next)
	t.Logf("%s=%d: %d histories in %.1f s, %d failed", envSeed, seed, res.Histories, res.Took.Seconds(), res.Failed)
	if res.Err != nil {
		t.Fatal(res.Err)
	}
	if res.Failed > 0 {
		t.Error(res)
	}
}
