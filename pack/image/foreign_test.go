package image

import (
	"runtime"
	"strings"
	"testing"
)

func TestCheckInterpreter(t *testing.T) {
	const rest = "\ninterpreter /usr/libexec/qemu-binfmt/aarch64-binfmt-P\nflags: %\noffset 0\nmagic 7f454c46\n"
	for _, c := range []struct{ state, want string }{
		{"enabled" + strings.Replace(rest, "%", "PF", 1), ""},
		{"enabled" + strings.Replace(rest, "%", "OCF", 1), ""},
		{"enabled" + strings.Replace(rest, "%", "P", 1), "flag F"},
		{"enabled\ninterpreter /F\n", "flag F"},
		{"disabled" + strings.Replace(rest, "%", "PF", 1), `"disabled"`},
		{"", `""`},
	} {
		err := checkInterpreter(c.state)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v", c.state, err)
		}
	}
}

func TestCheckRuns(t *testing.T) {
	if err := checkRuns(runtime.GOARCH); err != nil {
		t.Errorf("this machine's own: %v", err)
	}
	if err := checkRuns("vax"); err == nil || !strings.Contains(err.Error(), "setup --long") {
		t.Errorf("%v", err)
	}
}
