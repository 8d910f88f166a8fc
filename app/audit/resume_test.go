package audit

import (
	"path/filepath"
	"testing"
)

// What a run left open is ended by the next, for whom it was, and only once.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	logs, config := filepath.Join(dir, "audit"), filepath.Join(dir, "config")
	l, err := Resume(logs, config, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(Record{Event: EventBegin, Exec: "e1", Task: "t1", Request: "r1", Client: "ci@1", Door: "cli"}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err = Resume(logs, config, Options{})
		if err != nil {
			t.Fatal(err)
		}
		page, err := l.Records(t.Context(), Filter{})
		if err != nil {
			t.Fatal(err)
		}
		ended := page.Records
		if len(ended) != 2 || ended[0].Ended != EndedInterrupted || ended[0].Exec != "e1" || ended[0].Task != "t1" || ended[0].Request != "r1" || ended[0].Client != "ci@1" || ended[0].Door != "cli" {
			t.Fatalf("%+v", ended)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
