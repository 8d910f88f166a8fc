//go:build unix

package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// An editor speaks over the standard streams, and nothing else is written there.
func TestACP(t *testing.T) {
	f, _ := inBackground(t)
	var out, errs bytes.Buffer
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	code := run(t.Context(), []string{"acp", "--folder", t.TempDir() + ":rw", "--network", "off", "--budget", "0.50"},
		Options{Stdin: strings.NewReader(in), Stdout: &out, Stderr: &errs, Open: f.held})
	if code != 0 || errs.Len() > 0 || out.Len() > 0 && !strings.HasPrefix(out.String(), `{"jsonrpc":"2.0","id":1,"result"`) {
		t.Errorf("exit %d, %q %q", code, &out, &errs)
	}
	for name, args := range map[string][]string{
		"no such folder": {"--folder", t.TempDir() + "/none"}, "an argument": {"x"}, "no network": {"--network", "off-line"}, "no money": {"--budget", "much"}, "no such agent": {"--agent", "codex"},
	} {
		code := run(t.Context(), append([]string{"acp"}, args...), Options{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Open: f.held})
		if code != 2 {
			t.Errorf("%s: exit %d", name, code)
		}
	}
}
