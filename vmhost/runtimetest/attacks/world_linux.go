package attacks

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// World is what of this computer no program of a task is to reach.
type World struct {
	Secret         string // a file that everybody here may read
	Engine, Agent  string // sockets, as of an engine of containers and of an SSH agent
	Abstract       string // a socket without a file
	TCP, TCP6, UDP string // servers of this computer; TCP6 is "" where it has no IPv6
	Victim         int    // a process of the person
	victim         *exec.Cmd
	victimEnd      chan struct{}
	mu             sync.Mutex
	reached        []string
	listeners      []interface{ Close() error }
}

// NewWorld makes one. Its files are in a directory that places do not show; with dir they are
// in that one.
func NewWorld(t testing.TB, dir string) *World {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	w := &World{
		Secret: filepath.Join(dir, "secret"), Engine: filepath.Join(dir, "docker.sock"), Agent: filepath.Join(dir, "agent.sock"),
		Abstract: fmt.Sprintf("@piwork-attacks-%d", os.Getpid()), victimEnd: make(chan struct{}),
	}
	if err := os.WriteFile(w.Secret, []byte("of the person\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	for _, l := range []struct{ name, network, address string }{
		{"the engine", "unix", w.Engine}, {"the SSH agent", "unix", w.Agent}, {"the abstract socket", "unix", w.Abstract},
		{"this computer", "tcp4", "127.0.0.1:0"}, {"this computer over IPv6", "tcp6", "[::1]:0"},
	} {
		at, err := w.listen(t, l.name, l.network, l.address)
		switch l.network {
		case "tcp4":
			w.TCP = at
		case "tcp6":
			w.TCP6, err = at, nil
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	udp, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.UDP, w.listeners = udp.LocalAddr().String(), append(w.listeners, udp)
	go func() {
		b := make([]byte, 100)
		for {
			n, from, err := udp.ReadFrom(b)
			if err != nil {
				return
			}
			w.note("this computer over UDP")
			_, _ = udp.WriteTo(b[:n], from)
		}
	}()
	w.victim = exec.CommandContext(t.Context(), "sleep", "3600")
	if err := w.victim.Start(); err != nil {
		t.Fatal(err)
	}
	w.Victim = w.victim.Process.Pid
	go func() {
		defer close(w.victimEnd)
		_ = w.victim.Wait()
	}()
	return w
}

func (w *World) listen(t testing.TB, name, network, address string) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), network, address)
	if err != nil {
		return "", err
	}
	w.listeners = append(w.listeners, l)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			w.note(name)
			c.Close()
		}
	}()
	return l.Addr().String(), nil
}

func (w *World) note(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.reached, name) {
		w.reached = append(w.reached, name)
	}
}

func (w *World) close() {
	for _, l := range w.listeners {
		l.Close()
	}
	if w.victim != nil {
		_ = w.victim.Process.Kill()
		<-w.victimEnd
	}
}

// Unharmed is an error where something of it was reached, changed or ended.
func (w *World) Unharmed() error {
	var all []error
	w.mu.Lock()
	for _, name := range w.reached {
		all = append(all, fmt.Errorf("%s was reached", name))
	}
	w.mu.Unlock()
	if b, err := os.ReadFile(w.Secret); err != nil || string(b) != "of the person\n" {
		all = append(all, fmt.Errorf("the secret is %q now, %w", b, err))
	}
	select {
	case <-w.victimEnd:
		all = append(all, errors.New("a process of the person was ended"))
	case <-time.After(50 * time.Millisecond): // a signal takes a moment
	}
	return errors.Join(all...)
}
