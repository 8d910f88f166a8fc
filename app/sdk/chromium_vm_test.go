//go:build vm && linux

package sdk_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"piwork/vmhost"
)

// stripped prints the files that are named, without their types, as JSON.
const stripped = `import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
const files = process.argv.slice(1).map((name) => ['/' + name, stripTypeScriptTypes(readFileSync(name, 'utf8'))]);
console.log(JSON.stringify(Object.fromEntries(files)));`

// page has piwork.test.ts as a page of the web, and what it asks of Node. streams.test.ts is none: a
// browser may drop what came right before a break.
type page struct {
	*httptest.Server
	env    map[string]string
	failed chan []string
	files  map[string]string
}

func newPage(t *testing.T) *page {
	t.Helper()
	names, err := fs.Glob(os.DirFS("typescript"), "src/*.ts")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"--disable-warning=ExperimentalWarning", "--input-type=module", "-e", stripped, "piwork.test.ts"}, names...)...)
	cmd.Dir = "typescript"
	out, err := cmd.Output()
	p := &page{env: map[string]string{}, failed: make(chan []string, 1)}
	if err = errors.Join(err, json.Unmarshal(out, &p.files)); err != nil {
		t.Fatal(err)
	}
	answer := func(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }
	mux := http.NewServeMux()
	mux.Handle("GET /page/", http.FileServerFS(os.DirFS("typescript")))
	mux.HandleFunc("GET /env", func(w http.ResponseWriter, _ *http.Request) { answer(w, p.env) })
	mux.HandleFunc("GET /dir", func(w http.ResponseWriter, r *http.Request) {
		names := []string{}
		all, err := os.ReadDir(r.FormValue("path"))
		for _, entry := range all {
			names = append(names, entry.Name())
		}
		if err != nil {
			t.Error(err)
		}
		answer(w, names)
	})
	mux.HandleFunc("POST /failed", func(_ http.ResponseWriter, r *http.Request) {
		var failed []string
		if err := json.NewDecoder(r.Body).Decode(&failed); err != nil {
			failed = append(failed, err.Error())
		}
		p.failed <- failed
	})
	for name, text := range p.files {
		mux.HandleFunc("GET "+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(text))
		})
	}
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// play has Chromium run the tests.
func (p *page) play(t *testing.T) {
	t.Helper()
	program := "/usr/bin/chromium"
	if named := os.Getenv("CHROMIUM"); named != "" { // as frontend/e2e
		program = named
	}
	cmd := exec.CommandContext(t.Context(), program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(), p.URL+"/page/index.html")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends what it started
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case failed := <-p.failed:
		for _, one := range failed {
			t.Error(one)
		}
		_ = cmd.Cancel()
		<-ended
	case err := <-ended:
		t.Errorf("Chromium ended before the tests: %v", err)
	case <-time.After(4 * time.Minute):
		t.Error("the tests do not end")
		_ = cmd.Cancel()
		<-ended
	}
}

// A page in a browser does what other programs do, with a token that names its origin.
func TestSDKsInChromium(t *testing.T) {
	r := newRoom(t)
	p := newPage(t)
	url := r.serve()
	r.run(nil, program(t), "runtime", "prefer", vmhost.KindSandbox) // such a token does not choose a place
	folder := filepath.Join(filepath.Dir(r.o.DataDir), "Page")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	p.env = map[string]string{"PIWORK_URL": url, "PIWORK_TOKEN": r.token("--scope", "tasks", "--origin", p.URL, "--folder", folder+":rw"), "PIWORK_TEST_FOLDER": folder}
	p.play(t)
}
