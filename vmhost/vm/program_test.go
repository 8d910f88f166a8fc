//go:build unix

package vm

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

func TestProgramName(t *testing.T) {
	node := func(args ...string) wire.Owner {
		return wire.Owner{Exe: "/usr/bin/node", Name: "node", Args: append([]string{"node"}, args...)}
	}
	for want, owners := range map[string][]wire.Owner{
		"curl":    {{Exe: "/usr/bin/curl", Name: "curl", Args: []string{"curl", "https://example.org"}}, {Exe: "/usr/bin/curl (deleted)"}, {Name: "curl"}},
		"npm":     {node("/usr/bin/npm", "install"), node("/usr/lib/node_modules/npm/bin/npm-cli.js", "ci"), {Exe: "/usr/bin/node", Name: "npm install x", Args: []string{"npm install x"}}},
		"pip":     {{Exe: "/usr/bin/python3.13", Args: []string{"python3", "-m", "pip", "install", "x"}}, {Exe: "/usr/bin/python3.13", Args: []string{"/usr/bin/python3", "-W", "ignore", "/usr/bin/pip"}}},
		"node":    {node("-e", "fetch('https://example.org')"), node(), node("--expose-internals", "-r", "/run/piwork/n/spare.cjs", "")},
		"get.mjs": {node("--no-warnings", "-r", "./load.cjs", "/work/get.mjs", "-x")},
		"pi":      {node("/usr/lib/node_modules/pi/dist/cli.js", "--mode", "rpc")},
		"cli.js":  {node("cli.js")},
		"sync.sh": {{Exe: "/usr/bin/dash", Args: []string{"sh", "/folders/Work/sync.sh"}}},
		"bash":    {{Exe: "/usr/bin/bash", Args: []string{"bash", "-c", "exec 3<>/dev/tcp/example.org/80"}}},
		"":        {{}, {Exe: "/\u202e\x00\n"}, {Name: "\xff\xfe"}},
	} {
		for _, o := range owners {
			if got := programName(o); got != want {
				t.Errorf("%+v: %q, not %q", o, got, want)
			}
		}
	}
}

// Attacks: each name would say something else than a name, if it were shown as it is.
func TestProgramNameOfALiar(t *testing.T) {
	for said, shown := range map[string]string{
		"a\nAllowed by you.\r\x1b[2J":               "a Allowed by you. [2J", // another line, and a terminal that is wiped
		"x\u202egpj.exe\u202c\u2066\u200f\u061c":    "xgpj.exe",              // written backwards
		"cu\u200brl\u200d\u2060\ufeff\u00ad":        "curl",                  // what cannot be seen
		"x\u201d, which you trust. \u201cy\u00bb\"": "x, which you trust. y",
		"e\u0301\u0301\u0301\u0301\u0301":           "e\u0301\u0301", // letters over the line above
		"\u0301x":                                   "x",
		"  a \u2028\u2029\t\u3000 b ":               "a b", // room that pushes the rest away
		"\U000e0041\ue000\U0010ffffz":               "z",   // tags and private use
		strings.Repeat("ü", 500):                    strings.Repeat("ü", maxProgram),
		strings.Repeat("a ", 500):                   strings.TrimSpace(strings.Repeat("a ", maxProgram/2)),
	} {
		if got := programName(wire.Owner{Name: said}); got != shown {
			t.Errorf("%q is shown as %q, not %q", said, got, shown)
		}
	}
}

// owner answers as the port says that is connected to.
func (a *agent) owner(ctx context.Context, c wire.Connection) (any, error) {
	switch netip.MustParseAddrPort(c.Remote).Port() {
	case 1:
		return wire.Owner{Exe: "/usr/bin/curl", Name: "curl", Args: []string{"curl", c.Local}}, nil
	case 2:
		return wire.Owner{}, nil
	case 3:
		return nil, errors.New("no such table")
	case 4:
		return wire.Owner{Exe: strings.Repeat("x", 1<<16)}, nil
	case 5:
		return "curl", nil
	case 6:
		return map[string]any{"exe": []int{1}}, nil
	}
	select { // and says nothing
	case <-a.m.Quit:
	case <-ctx.Done():
	}
	return nil, ctx.Err()
}

// A guest that answers badly, or not at all, has no program, and goes on.
func TestProgramOfAConnection(t *testing.T) {
	v := newVM(t, fakeConfig(t, "good"))
	from := netip.MustParseAddrPort("198.18.0.2:40000")
	ask := func(ctx context.Context, port uint16) string {
		return v.Program(ctx, from, netip.AddrPortFrom(netip.MustParseAddr("198.19.0.1"), port))
	}
	if got := ask(t.Context(), 1); got != "" {
		t.Errorf("before it is connected: %q", got)
	}
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	for port, want := range []string{1: "curl", 2: "", 3: "", 4: "", 5: "", 6: ""} {
		if port == 0 {
			continue
		}
		if got := ask(soon(t), uint16(port)); got != want {
			t.Errorf("%d: %q, not %q", port, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	silent := make(chan string)
	go func() { silent <- ask(ctx, 7) }()
	cancel()
	if got := <-silent; got != "" {
		t.Errorf("one that says nothing: %q", got)
	}
	if got := ask(soon(t), 1); got != "curl" {
		t.Errorf("after it: %q", got)
	}
	if err := v.Close(soon(t)); err != nil {
		t.Error(err)
	}
}

// An older guest is not asked.
func TestProgramOfAnOldGuest(t *testing.T) {
	v := newVM(t, fakeConfig(t, "knows no owners"))
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	if got := v.Program(soon(t), netip.MustParseAddrPort("198.18.0.2:40000"), netip.MustParseAddrPort("198.19.0.1:1")); got != "" {
		t.Errorf("%q", got)
	}
}

func TestOldGuestHasNoTerminal(t *testing.T) {
	v := newVM(t, fakeConfig(t, "knows no terminals"))
	if err := v.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	var e *vmhost.UnsupportedError
	_, err := v.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sh"}, Terminal: &wire.TerminalSize{Columns: 80, Rows: 24}}})
	if !errors.As(err, &e) || e.What != "terminal" {
		t.Errorf("%v", err)
	}
}

// FuzzProgramName reads what a guest may answer: what is shown is short, on one line
// and to be seen.
func FuzzProgramName(f *testing.F) {
	for _, o := range []wire.Owner{
		{Exe: "/usr/bin/node", Name: "node", Args: []string{"node", "-r", "x", "/a/dist/cli.js"}},
		{Exe: "/usr/bin/python3.13 (deleted)", Args: []string{"python3", "-m", "pip"}},
		{Exe: "/usr/bin/node", Args: []string{"npm install"}}, {Name: "\u202ea\nb\u0301\u0301\u0301"},
	} {
		b, err := json.Marshal(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		var o wire.Owner
		if json.Unmarshal(answer, &o) != nil || o.Validate() != nil {
			return
		}
		got := programName(o)
		if utf8.RuneCountInString(got) > maxProgram || !utf8.ValidString(got) || strings.TrimSpace(got) != got {
			t.Errorf("%q", got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Quotation_Mark, r) {
				t.Errorf("%q in %q", r, got)
			}
		}
	})
}
