package container

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/scripts/lib/gobuild"
	"piwork/vmhost"
	"piwork/vmhost/container/enginetest"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/hostedtest"
	"piwork/vmhost/runtimetest"
	"piwork/vmhost/runtimetest/smalltree"
)

// made is what all tests of this package share.
var made struct {
	once                      sync.Once
	dir, tree, agent, attacks string
	engine                    *enginetest.Engine
	err                       error
}

var soon, run = hostedtest.Soon, hostedtest.Run

func TestMain(m *testing.M) {
	hostedtest.Patience = 2 * time.Minute // an engine imports an image first
	code := m.Run()
	if made.engine != nil {
		made.engine.Remove()
	}
	if made.dir != "" {
		os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

// anotherEngine is in the environment of tests that are run with another engine than Podman
// of root: which, and where the tree and the agent are.
const anotherEngine = "PIWORK_TEST_ENGINE"

// parts makes a tree with a few programs of this computer, the agent, and an engine.
func parts(t testing.TB) {
	t.Helper()
	kind, dir, again := strings.Cut(os.Getenv(anotherEngine), " ")
	if !again {
		kind = "podman"
		enginetest.Need(t)
	}
	made.once.Do(func() { // Podman takes no longer path than one of 50 characters
		if made.dir, made.err = os.MkdirTemp("", "e"); made.err != nil {
			return
		}
		made.tree, made.agent = filepath.Join(dir, "tree"), filepath.Join(dir, "guest")
		if !again {
			made.tree, made.agent = filepath.Join(made.dir, "tree"), filepath.Join(made.dir, "guest")
			made.err = errors.Join(
				smalltree.Make(made.tree), gobuild.Program(filepath.Join(made.tree, "usr/bin/attacker"), "piwork/vmhost/sandbox/attacker", ""),
				gobuild.Program(made.agent, "piwork/pack/guest/cmd/piwork-guest", ""),
			)
		}
		if made.err == nil {
			made.engine, made.err = enginetest.Start(kind, filepath.Join(made.dir, "e"))
		}
	})
	if made.err != nil {
		t.Fatal(made.err)
	}
}

// config is a container without folders.
func config(t testing.TB) Config {
	t.Helper()
	parts(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the engine: %s", &made.engine.Log)
		}
	})
	timing := hosted.Patient
	timing.Cancel, timing.Shutdown, timing.Evidence = 20*time.Second, 20*time.Second, evidenceTime
	return Config{
		Dir: filepath.Join(t.TempDir(), "container"), Root: made.tree, Agent: made.agent, Digest: "0123456789abcdef", Owner: "the tests", Engine: made.engine.Socket, Imports: filepath.Join(filepath.Dir(made.engine.Socket), "images.json"),
		AppVersion: "test", PackVersion: "1.2.3", Timing: timing, Log: hostedtest.Log(t),
	}
}

// open returns an idle container that leaves nothing.
func open(t testing.TB, c Config) *hosted.Runtime {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	hostedtest.CloseAtEnd(t, r, func() {
		if _, err := os.Stat(c.Dir); err == nil {
			t.Error("its directory is left")
		}
	})
	return r
}

// connected is open and ready.
func connected(t testing.TB, c Config) *hosted.Runtime {
	t.Helper()
	r := open(t, c)
	hostedtest.Connect(t, r)
	return r
}

func TestConformance(t *testing.T) {
	base := config(t)
	runtimetest.Run(t, runtimetest.Target{
		Patience: 2 * time.Minute, Bare: true,
		New: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc) vmhost.Runtime {
			c := base
			c.Dir, c.Env, c.OnStatus = filepath.Join(t.TempDir(), "container"), env, onStatus
			return open(t, c)
		},
		Folders: func(t testing.TB, env vmhost.ExecutionEnv, onStatus vmhost.StatusFunc, rw, ro string) vmhost.Runtime {
			c := base
			c.Dir, c.Env, c.OnStatus = filepath.Join(t.TempDir(), "container"), env, onStatus
			f := hostedtest.Share(t, rw, ro)
			c.Folders, c.ServeFUSE = f.View, f.ServeFUSEAs(c.Log)
			return open(t, c)
		},
		Processes: func(t testing.TB, most int) vmhost.Runtime {
			c := base
			c.Dir, c.Size.processes = filepath.Join(t.TempDir(), "container"), most
			return open(t, c)
		},
	})
	if left := made.engine.Run("ps", "--all", "--quiet") + made.engine.Run("volume", "ls", "--quiet"); left != "" {
		t.Errorf("left: %s", left)
	}
	if left, err := os.ReadDir(made.engine.Spool()); err != nil || len(left) > 0 {
		t.Errorf("left of the archive of the image: %v, %v", left, err)
	}
}
