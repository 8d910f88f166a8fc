package cli

import (
	"bytes"
	"io"
	"testing"

	"piwork/app/cli/interact"
	"piwork/app/cli/wording"
	"piwork/app/task"
)

func TestWorkWords(t *testing.T) {
	eta := func(s int64) *int64 { return &s }
	for _, tt := range []struct {
		p    task.ProgressData
		want string
	}{
		{task.ProgressData{Done: 1, Total: 3}, "1 of 3"},
		{task.ProgressData{Done: 1, Total: 3, Item: "/folders/a/b.jpg"}, "1 of 3  a/b.jpg"},
		{task.ProgressData{Done: 1, Total: 3, Bytes: 1e6, TotalBytes: 3e6}, "1 of 3 (1 MB of 3 MB)"},
		{task.ProgressData{Done: 1, Total: 3, Bytes: 1e6, TotalBytes: 3e6, ETA: eta(130), Item: "b"}, "1 of 3 (1 MB of 3 MB), about 2 min left  b"},
		{task.ProgressData{Done: 0, Total: 3, TotalBytes: 3e6, ETA: eta(0)}, "0 of 3 (0 B of 3 MB), about 5 s left"},
		{task.ProgressData{Done: 3, Total: 3, ETA: eta(9)}, "3 of 3"},
		{task.ProgressData{Item: "/folders/a/b.jpg"}, "a/b.jpg"},
	} {
		if got := wording.WorkWords(tt.p); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.p, got, tt.want)
		}
	}
}

// What a program writes is shown once: one that was started detached has it in its events, too.
func TestOutputOfAJoinedProgramIsShownOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		joined *interact.Session
		want   string
	}{"joined": {interact.NewSession(false), ""}, "watched": {nil, "6\n"}} {
		for _, json := range []bool{false, true} {
			var out bytes.Buffer
			e := newEnv(Options{Stdout: &out, Stderr: io.Discard, IsTerminal: func(any) bool { return false }})
			e.JSON = json
			f := &follower{session: &session{Env: e}, joined: tt.joined, bar: e.StartProgress("")}
			f.req.Kind = task.KindExec
			if _, err := f.event(t.Context(), task.Event{Kind: task.EventOutput, Data: task.OutputData{Stream: "stdout", Data: []byte("6\n")}}); err != nil {
				t.Fatal(err)
			}
			f.bar.Stop()
			if got := out.String(); !json && got != tt.want || json && (got == "") != (tt.want == "") {
				t.Errorf("%s, JSON %v: %q", name, json, got)
			}
		}
	}
}
