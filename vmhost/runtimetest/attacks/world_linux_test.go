package attacks

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// A world notes whatever reaches it.
func TestUnharmed(t *testing.T) {
	w := NewWorld(t, "")
	if err := w.Unharmed(); err != nil {
		t.Fatal(err)
	}
	for network, address := range map[string]string{"tcp4": w.TCP, "udp4": w.UDP, "unix": w.Agent} {
		c, err := (&net.Dialer{}).DialContext(t.Context(), network, address)
		if err != nil {
			t.Fatal(network, err)
		}
		_, _ = c.Write([]byte("x"))
		_, _ = c.Read(make([]byte, 1)) // there is an answer, or an end
		c.Close()
	}
	if err := os.WriteFile(w.Secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(w.Victim, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-w.victimEnd
	err := w.Unharmed()
	for _, want := range []string{"this computer was reached", "this computer over UDP was reached", "the SSH agent was reached", "the secret is", "was ended"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if err != nil && strings.Contains(err.Error(), "engine") {
		t.Error(err)
	}
}
