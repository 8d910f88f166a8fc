package operate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"piwork/pack/tools"
)

// Bounds of one run of a program.
const (
	stderrLimit = 64 << 10         // bytes of its words that are kept, the last ones
	endGrace    = 10 * time.Second // after it was killed, for its pipes to close
)

// Runner starts a program in the scratch directory and waits for its end. An
// error means that it could not be started or that ctx ended.
type Runner func(ctx context.Context, argv []string, limit time.Duration) (tools.Ending, error)

// programs returns a Runner of real programs. Their environment is fixed, so
// that the same inputs give the same bytes.
func programs(scratch, path string) Runner {
	env := []string{
		"PATH=" + path, "HOME=" + scratch, "TMPDIR=" + scratch, "LANG=C.UTF-8", "TZ=UTC",
		"SOURCE_DATE_EPOCH=946684800", // 2000-01-01
		"MAGICK_TEMPORARY_PATH=" + scratch, "MAGICK_THREAD_LIMIT=2",
		"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "PYTHONNOUSERSITE=1", "PYTHONSAFEPATH=1",
	}
	return func(ctx context.Context, argv []string, limit time.Duration) (tools.Ending, error) {
		run, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		program, err := lookUp(argv[0], path)
		if err != nil {
			return tools.Ending{}, err
		}
		cmd := exec.CommandContext(run, program, argv[1:]...)
		cmd.Dir, cmd.Env, cmd.WaitDelay = scratch, env, endGrace
		words := &tail{limit: stderrLimit}
		cmd.Stderr = words
		ownGroup(cmd)
		err = cmd.Start()
		if err == nil {
			preferredVictim(cmd.Process.Pid)
			err = cmd.Wait()
		}
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return tools.Ending{}, ctx.Err()
		case run.Err() != nil:
			return tools.Ending{Timeout: true, ExitCode: exitCode(cmd), Stderr: words.String()}, nil
		case err != nil && !errors.As(err, &exit):
			return tools.Ending{}, fmt.Errorf("run %s: %w", argv[0], err)
		}
		return tools.Ending{ExitCode: exitCode(cmd), Stderr: words.String()}, nil
	}
}

// tail keeps the end of what is written.
type tail struct {
	b     bytes.Buffer
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if over := t.b.Len() + n - t.limit; over > 0 {
		t.b.Next(over)
		p = p[max(0, n-t.limit):]
	}
	t.b.Write(p)
	return n, nil
}

func (t *tail) String() string { return t.b.String() }
