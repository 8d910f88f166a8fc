package desktop

import (
	"os"
	"path/filepath"
	"testing"
)

// A window starts anew once, remembers what helped until the engine is another one, and
// does not start anew where it did not help.
func TestDrawing(t *testing.T) {
	config := t.TempDir()
	d := drawing{config, "2.50.6"}
	start := func(d drawing, inherits bool) { // the next window
		t.Helper()
		if !inherits {
			t.Setenv(envRenderer, "")
			t.Setenv(envRedrawn, "")
		}
		if err := d.choose(); err != nil {
			t.Fatal(err)
		}
	}
	blank := func(d drawing, again bool) {
		t.Helper()
		if got, err := d.blank(); err != nil || got != again {
			t.Errorf("again: %v, %v", got, err)
		}
	}
	drawn := func() {
		t.Helper()
		if err := d.drawn(); err != nil {
			t.Error(err)
		}
	}
	other := func(want string) {
		t.Helper()
		if got := os.Getenv(envRenderer); got != want {
			t.Errorf("the renderer is %q, not %q", got, want)
		}
	}
	remembers := func(want bool) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(config, rendererFile)); (err == nil) != want {
			t.Errorf("remembered: %v", err)
		}
	}

	start(d, false)
	drawn()
	other("")
	remembers(false) // nothing was wrong

	blank(d, true)
	start(d, true)
	other("1")
	drawn()
	start(d, false)
	other("1")
	start(drawing{config, "2.52.0"}, false)
	other("")
	start(d, false)
	blank(d, false) // what helped does not any more: the next window begins from the start
	remembers(false)

	start(d, false)
	other("")
	blank(d, true)
	start(d, true)
	blank(d, false)
	start(d, false)
	other("")
	blank(d, false) // it is known that it does not help
	if err := os.WriteFile(filepath.Join(config, rendererFile), []byte(`{"v":1,"engine":`), 0o600); err != nil {
		t.Fatal(err)
	}
	blank(d, true)

	start(drawing{config: config}, false)
	blank(drawing{config: config}, false) // another system
}

// What the person chose is not overruled.
func TestDrawingByThePerson(t *testing.T) {
	d := drawing{t.TempDir(), "2.50.6"}
	t.Setenv(envRedrawn, "")
	t.Setenv(envRenderer, "0")
	if err := d.write(true); err != nil {
		t.Fatal(err)
	}
	if err := d.choose(); err != nil || os.Getenv(envRenderer) != "0" {
		t.Errorf("%v, %q", err, os.Getenv(envRenderer))
	}
}
