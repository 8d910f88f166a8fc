package desktop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"piwork/app/durable"
)

const (
	// rendererFile remembers how pages are drawn here, in the config directory.
	rendererFile = "renderer.json"
	// envRedrawn is set in a window that was opened once more because its page was blank.
	envRedrawn = "PIWORK_WINDOW_REDRAWN"
	// envRenderer set to 1 has WebKitGTK draw without DMA-BUF, which leaves pages blank with some
	// drivers of NVIDIA, above all on Wayland (https://bugs.webkit.org/show_bug.cgi?id=262607).
	envRenderer = "WEBKIT_DISABLE_DMABUF_RENDERER"
)

// renderer is what was learned about drawing pages on this computer.
type renderer struct {
	V      int    `json:"v"`
	Engine string `json:"engine"` // its version: with another one the usual way is tried again
	Helped bool   `json:"helped"` // without DMA-BUF pages are drawn; false: they stay blank then, too
}

// drawing chooses how pages are drawn, and learns from what became of it:
//
//	blank page ── once more without DMA-BUF ── drawn: remembered for the next start
//	                                        └─ blank: remembered, and the person is told
//
// Its state is in the environment, which the window that is opened once more inherits, and
// in rendererFile.
type drawing struct {
	config string // directory
	engine string // version of the web view; "" where there is no other way to draw
}

// choose draws as the last window found out. It is called before the engine is there.
func (d drawing) choose() error {
	if r := d.read(); r.Helped && os.Getenv(envRenderer) == "" {
		return os.Setenv(envRenderer, "1")
	}
	return nil
}

// blank is a page that nobody can see. again reports that the window is to be opened once more;
// it was chosen already how that draws. Otherwise there is nothing left to try.
func (d drawing) blank() (again bool, err error) {
	switch {
	case os.Getenv(envRedrawn) != "":
		return false, d.write(false)
	case d.engine == "":
		return false, nil
	case os.Getenv(envRenderer) == "1": // chosen by an earlier window, which is not true any more, or by the person
		return false, d.forget()
	case d.read().Engine != "": // it did not help the last time
		return false, nil
	}
	return true, errors.Join(os.Setenv(envRenderer, "1"), os.Setenv(envRedrawn, "1"))
}

// drawn is a page that can be seen.
func (d drawing) drawn() error {
	if os.Getenv(envRedrawn) == "" {
		return nil
	}
	return d.write(true)
}

// read is the zero value when nothing was learned about this engine.
func (d drawing) read() (r renderer) {
	data, err := os.ReadFile(filepath.Join(d.config, rendererFile))
	if err != nil || json.Unmarshal(data, &r) != nil || r.V != 1 || d.engine == "" || r.Engine != d.engine {
		return renderer{}
	}
	return r
}

func (d drawing) write(helped bool) error {
	data, err := json.Marshal(renderer{V: 1, Engine: d.engine, Helped: helped})
	if err == nil {
		err = os.MkdirAll(d.config, 0o700)
	}
	if err == nil {
		err = durable.WriteFile(filepath.Join(d.config, rendererFile), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("remember how pages are drawn: %w", err)
	}
	return nil
}

func (d drawing) forget() error {
	if err := os.Remove(filepath.Join(d.config, rendererFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget how pages are drawn: %w", err)
	}
	return nil
}
