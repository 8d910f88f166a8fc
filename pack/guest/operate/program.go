package operate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"piwork/pack/tools"
)

// Bounds of one run of a program.
const (
	stderrLimit = 64 << 10         // bytes of its words that are kept, the last ones
	endGrace    = 10 * time.Second // after it was killed, for its pipes to close
)

// Command is one run of a program in the scratch directory.
type Command struct {
	Argv   []string
	Stdout string        // scratch name of a file for what it prints; "" drops it
	Limit  time.Duration // after which it is killed
}

// Runner starts a program in the scratch directory and waits for its end. An
// error means that it could not be started or that ctx ended.
type Runner func(ctx context.Context, c Command) (tools.Ending, error)

// variables are those of every program: fixed, so that the same inputs give the
// same bytes.
func variables(scratch, path string) []string {
	return []string{
		"PATH=" + path, "HOME=" + scratch, "TMPDIR=" + scratch, "LANG=C.UTF-8", "TZ=UTC",
		"SOURCE_DATE_EPOCH=946684800", // 2000-01-01
		"MAGICK_TEMPORARY_PATH=" + scratch, "MAGICK_THREAD_LIMIT=2", "OMP_THREAD_LIMIT=1",
		"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "PYTHONNOUSERSITE=1", "PYTHONSAFEPATH=1",
	}
}

// programs returns a Runner of real programs. When they are confined, they can
// write to scratch only, read only scratch and the system, and connect to
// nothing ([confine]). log may be nil.
func programs(scratch, path string, confined bool, log func(Ran)) Runner {
	env := variables(scratch, path)
	return func(ctx context.Context, c Command) (tools.Ending, error) {
		run, cancel := context.WithTimeout(ctx, c.Limit)
		defer cancel()
		program, err := lookUp(c.Argv[0], path)
		if err != nil {
			return tools.Ending{}, err
		}
		cmd := exec.CommandContext(run, program, c.Argv[1:]...)
		cmd.Dir, cmd.Env, cmd.WaitDelay = scratch, env, endGrace
		words := newTail(stderrLimit)
		cmd.Stderr = words
		if c.Stdout != "" {
			out, err := os.OpenFile(filepath.Join(scratch, c.Stdout), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return tools.Ending{}, err
			}
			defer out.Close()
			cmd.Stdout = out
		}
		ownGroup(cmd)
		began := time.Now()
		if confined {
			err = startConfined(cmd, scratch)
		} else {
			err = cmd.Start()
		}
		if err == nil {
			preferredVictim(cmd.Process.Pid)
			err = cmd.Wait()
		}
		end := tools.Ending{ExitCode: exitCode(cmd), Stderr: words.String(), Timeout: ctx.Err() == nil && run.Err() != nil}
		if log != nil {
			args := sha256.Sum256([]byte(strings.Join(c.Argv, "\x00")))
			log(Ran{
				Program: c.Argv[0], ArgsSHA256: hex.EncodeToString(args[:]), WallMS: time.Since(began).Milliseconds(), ExitCode: end.ExitCode,
				Timeout: end.Timeout, StderrBytes: words.n, StderrSHA256: hex.EncodeToString(words.sum.Sum(nil)),
			})
		}
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return tools.Ending{}, ctx.Err()
		case !end.Timeout && err != nil && !errors.As(err, &exit):
			return tools.Ending{}, fmt.Errorf("run %s: %w", c.Argv[0], err)
		}
		return end, nil
	}
}

// HostPrograms returns a Runner of the programs of this computer, as its PATH finds
// them, not confined: to compare with what a machine does.
func HostPrograms(scratch, path string) Runner { return programs(scratch, path, false, nil) }

// tail keeps the end of what is written, and counts and digests all of it.
type tail struct {
	b     bytes.Buffer
	limit int
	n     int64
	sum   hash.Hash
}

func newTail(limit int) *tail { return &tail{limit: limit, sum: sha256.New()} }

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	t.n += int64(n)
	t.sum.Write(p)
	if over := t.b.Len() + n - t.limit; over > 0 {
		t.b.Next(over)
		p = p[max(0, n-t.limit):]
	}
	t.b.Write(p)
	return n, nil
}

func (t *tail) String() string { return t.b.String() }
