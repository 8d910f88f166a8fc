// Package audittest has an audit log for tests.
package audittest

import (
	"path/filepath"
	"testing"

	"piwork/app/audit"
)

// Open is a log of its own, which the end of the test closes.
func Open(t testing.TB) *audit.Log {
	t.Helper()
	dir := t.TempDir()
	key, err := audit.OpenKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	log, _, _, err := audit.Open(filepath.Join(dir, "audit"), audit.Options{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// Decisions are those that a log has, each as its topic, answer and who took it.
func Decisions(t testing.TB, log *audit.Log) (out []string) {
	t.Helper()
	page, err := log.Records(t.Context(), audit.Filter{Event: audit.EventDecision, Limit: audit.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range page.Records {
		out = append([]string{r.Topic + " " + r.Answer + " " + r.By}, out...)
	}
	return out
}
