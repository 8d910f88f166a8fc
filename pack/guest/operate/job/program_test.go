package job

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"piwork/pack/tools"
)

func TestProgramsRunner(t *testing.T) {
	scratch := t.TempDir()
	run := programsWith(scratch, os.Getenv("PATH"), false, nil, nil, time.Second)
	tests := map[string]struct {
		script string
		limit  time.Duration
		check  func(tools.Ending) bool
	}{
		"exit code and words":   {"echo out; echo why >&2; exit 3", time.Minute, func(e tools.Ending) bool { return e.ExitCode == 3 && e.Stderr == "why\n" && !e.Timeout }},
		"signal":                {"kill -KILL $$", time.Minute, func(e tools.Ending) bool { return e.ExitCode == 137 }},
		"directory":             {"test $PWD = " + scratch + " && test $HOME = $PWD", time.Minute, func(e tools.Ending) bool { return e.ExitCode == 0 }},
		"no stdin":              {"read x && exit 1 || exit 0", time.Minute, func(e tools.Ending) bool { return e.ExitCode == 0 }},
		"timeout":               {"sleep 60", 100 * time.Millisecond, func(e tools.Ending) bool { return e.Timeout && e.ExitCode != 0 }},
		"timeout of a tree":     {"sleep 60 & sleep 60", 100 * time.Millisecond, func(e tools.Ending) bool { return e.Timeout }},
		"left something behind": {"sleep 60 & echo why >&2; exit 3", time.Minute, func(e tools.Ending) bool { return e.ExitCode == 3 && e.Stderr == "why\n" && !e.Timeout }},
		"left it elsewhere":     {"setsid sleep 30 & echo why >&2; sleep 0.5", time.Minute, func(e tools.Ending) bool { return e.ExitCode == 0 && e.Stderr == "why\n" && !e.Timeout }},
		"many words": {"head -c 300000 /dev/zero | tr '\\0' x >&2; echo end >&2", time.Minute, func(e tools.Ending) bool {
			return len(e.Stderr) == stderrLimit && strings.HasSuffix(e.Stderr, "xend\n")
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			started := time.Now()
			e, err := run(t.Context(), Command{Argv: []string{"sh", "-c", tt.script}, Limit: tt.limit})
			if err != nil || !tt.check(e) || time.Since(started) > 20*time.Second {
				t.Errorf("%+.200v, %v", e, err)
			}
		})
	}
	var heard []byte
	aloud := programsWith(scratch, os.Getenv("PATH"), false, nil, func(b []byte) { heard = append(heard, b...) }, time.Second)
	if _, err := aloud(t.Context(), Command{Argv: []string{"sh", "-c", "echo out; echo why >&2"}, Limit: time.Minute}); err != nil || string(heard) != "why\n" {
		t.Errorf("heard %q, %v", heard, err)
	}
	if _, err := run(t.Context(), Command{Argv: []string{"no-such-program"}, Limit: time.Minute}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("error = %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := run(ctx, Command{Argv: []string{"sleep", "60"}, Limit: time.Minute}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v", err)
	}
}
