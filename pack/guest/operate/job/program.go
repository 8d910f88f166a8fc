package job

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"piwork/pack/tools"
)

// Bounds of one run of a program.
const (
	stderrLimit = 64 << 10         // bytes of its words that are kept, the last ones
	endGrace    = 10 * time.Second // after its end, for the last of its words
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
	return append([]string{
		"PATH=" + path, "HOME=" + scratch, "TMPDIR=" + scratch, "LANG=C.UTF-8", "TZ=UTC",
		"SOURCE_DATE_EPOCH=946684800", // 2000-01-01
		"MAGICK_TEMPORARY_PATH=" + scratch, "MAGICK_THREAD_LIMIT=2", "OMP_THREAD_LIMIT=1",
		"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "PYTHONNOUSERSITE=1", "PYTHONSAFEPATH=1",
	}, searched...)
}

// Programs returns a Runner of real programs. When they are confined, they can
// write to scratch only, read only scratch and the system, and connect to
// nothing, as far as the kernel of a place that is no machine can ([confinement]). log, and
// said, which gets what they write to stderr as it comes, may be nil.
func Programs(scratch, path string, confined bool, log func(Ran), said func([]byte)) Runner {
	return programsWith(scratch, path, confined, log, said, endGrace)
}

// programsWith is programs with another patience for the last words.
func programsWith(scratch, path string, confined bool, log func(Ran), said func([]byte), grace time.Duration) Runner {
	env, confine := variables(scratch, path), &confinement{scratch: scratch}
	return func(ctx context.Context, c Command) (tools.Ending, error) {
		run, cancel := context.WithTimeout(ctx, c.Limit)
		defer cancel()
		program, err := lookUp(c.Argv[0], path)
		if err != nil {
			return tools.Ending{}, err
		}
		cmd := exec.CommandContext(run, program, c.Argv[1:]...)
		cmd.Dir, cmd.Env = scratch, env
		words, hear, err := listen(cmd, said)
		if err != nil {
			return tools.Ending{}, err
		}
		defer hear(0)
		if c.Stdout != "" {
			out, err := createScratch(filepath.Join(scratch, c.Stdout))
			if err != nil {
				return tools.Ending{}, err
			}
			defer out.Close()
			cmd.Stdout = out
		}
		ownGroup(cmd)
		began := time.Now()
		if confined {
			err = confine.start(cmd)
		} else {
			err = cmd.Start()
		}
		if err == nil {
			preferredVictim(cmd.Process.Pid)
			err = cmd.Wait()
			endGroup(cmd.Process.Pid) // what it started and left behind
		}
		hear(grace)
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

// listen keeps the words of a program that is to be started. hear is called when it
// has ended, or was not started, and waits so long for the last of them: a process that
// it left behind, where it cannot be ended, may hold them open for ever. It may be
// called again.
func listen(cmd *exec.Cmd, said func([]byte)) (words *tail, hear func(grace time.Duration), err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	words, cmd.Stderr = newTail(stderrLimit), to
	words.said = said
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.Copy(words, from) // ends with the words, or at the deadline
	}()
	var once sync.Once
	return words, func(grace time.Duration) {
		once.Do(func() {
			to.Close()
			_ = from.SetReadDeadline(time.Now().Add(grace)) // a pipe has deadlines
			<-over
			from.Close()
		})
	}, nil
}

// HostPrograms returns a Runner of the programs of this computer, as its PATH finds
// them, not confined: to compare with what a machine does.
func HostPrograms(scratch, path string) Runner { return Programs(scratch, path, false, nil, nil) }

// tail keeps the end of what is written, and counts and digests all of it.
type tail struct {
	b     bytes.Buffer
	limit int
	n     int64
	sum   hash.Hash
	said  func([]byte) // hears it too; may be nil
}

func newTail(limit int) *tail { return &tail{limit: limit, sum: sha256.New()} }

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	t.n += int64(n)
	t.sum.Write(p)
	if t.said != nil {
		t.said(p)
	}
	if over := t.b.Len() + n - t.limit; over > 0 {
		t.b.Next(over)
		p = p[max(0, n-t.limit):]
	}
	t.b.Write(p)
	return n, nil
}

func (t *tail) String() string { return t.b.String() }
