package agentlog

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

func TestAgentLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	open := func() *Log {
		t.Helper()
		l, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	log := slog.New(slog.DiscardHandler)
	l := open()
	for i, line := range []string{`{"type":"a"}`, `{"type":"message_update","x":1}`, `{"type":"b"}`, "two\nlines"} {
		if got, want := l.Add([]byte(line)), []int64{1, 0, 2, 0}[i]; got != want {
			t.Errorf("%q is line %d, want %d", line, got, want)
		}
	}
	l.Close(log)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"type":"cut o`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	l = open()
	if got := l.Add([]byte(`{"type":"c"}`)); got != 4 {
		t.Errorf("line %d after one that was cut off", got)
	}
	l.size = maxLog
	if got := l.Add([]byte(`{}`)); got != 0 {
		t.Errorf("line %d beyond the bound", got)
	}
	l.Close(log)
	for n, want := range map[int64]string{1: `{"type":"a"}`, 2: `{"type":"b"}`, 3: `"{\"type\":\"cut o"`, 4: `{"type":"c"}`} {
		if got, err := Line(path, n); err != nil || string(got) != want {
			t.Errorf("%d: %s %v", n, got, err)
		}
	}
	if _, err := Line(path, 5); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
