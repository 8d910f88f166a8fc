package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type window struct {
	Close string `json:"close"`
}

type all struct {
	V      int    `json:"v"`
	Window window `json:"window"`
}

// A part is read and written without the rest, over the defaults; what this program does
// not know stays, and a change that is refused writes nothing.
func TestValue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	open := func() Value[window] {
		t.Helper()
		f, err := Open(path, all{V: 1, Window: window{Close: "ask"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return Of(f, func(a *all) *window { return &a.Window })
	}
	if got := open().Get(); got.Close != "ask" {
		t.Errorf("without a file %+v", got)
	}
	if err := os.WriteFile(path, []byte(`{"v":1,"newer":{"x":1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	v := open()
	if got := v.Get(); got.Close != "ask" {
		t.Errorf("without its member %+v", got)
	}
	if err := v.Set(window{Close: "stop"}); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	if err := v.Update(func(w *window) error { w.Close = "never"; return refused }); !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
	if now, again := v.Get(), open().Get(); now.Close != "stop" || again != now {
		t.Errorf("%+v, read again %+v", now, again)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), `"newer"`) {
		t.Errorf("%s %v", data, err)
	}
}

// A file that cannot be read, or written, is an error that names it; nothing of it is lost.
func TestFileOfSomebodyElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, all{}, nil); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "{" {
		t.Errorf("%s %v", data, err)
	}
	told := 0
	f, err := Open(filepath.Join(path, "no", "directory"), all{V: 1}, func() { told++ })
	if err == nil {
		err = f.Update(func(a *all) error { a.V = 2; return nil })
	}
	if err == nil || told > 0 {
		t.Error("it was written into a file")
	}
}
