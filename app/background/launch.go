package background

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"piwork/app"
	"piwork/app/executable"
	"piwork/app/problem"
)

const (
	launchWithin = time.Minute // a slow disk, and a holder that ends its tasks first
	maxLine      = 1 << 20
	saidOfLog    = 4 << 10 // of it, in an error
)

// Ready is the ready line: where a controller answers, or why there is none.
type Ready struct {
	PID     int              `json:"pid"`
	Socket  string           `json:"socket"`
	Problem *problem.Problem `json:"error,omitempty"`
}

// Launch starts a controller that outlives this program, and returns where one answers: the
// one that it started, or one that was quicker.
func Launch(ctx context.Context, o app.Options) (Ready, error) {
	program, err := executable.Path()
	if err != nil {
		return Ready{}, err
	}
	args := []string{"serve", "--background", "--json"}
	if o.Accel != "" {
		args = append(args, "--accel", o.Accel)
	}
	if o.DataDir != "" {
		args = append(args, "--data-dir", o.DataDir)
	}
	return launch(ctx, exec.CommandContext(context.WithoutCancel(ctx), program, args...), o) // it outlives this program
}

// launch starts a command and reads its ready line.
func launch(ctx context.Context, cmd *exec.Cmd, o app.Options) (Ready, error) {
	cmd.Dir = filepath.VolumeName(cmd.Path) + string(filepath.Separator) // holds no folder of a person
	detach(cmd)
	log, err := openLog(o)
	if err != nil {
		return Ready{}, problem.New(problem.CodeControllerStart).Because(err)
	}
	var began int64
	if log != nil {
		defer log.Close()
		cmd.Stderr = log
		began, _ = log.Seek(0, io.SeekEnd)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Ready{}, err
	}
	if err := cmd.Start(); err != nil {
		return Ready{}, problem.New(problem.CodeControllerStart).Because(err)
	}
	ready := make(chan Ready, 1)
	go func() {
		var r Ready
		line, err := bufio.NewReader(io.LimitReader(out, maxLine)).ReadBytes('\n')
		if err == nil {
			_ = json.Unmarshal(line, &r) // without a socket it is none
		}
		ready <- r
		_ = cmd.Wait() // so that it is no zombie of a window
	}()
	select {
	case r := <-ready:
		switch {
		case r.Problem != nil:
			return r, r.Problem
		case r.Socket != "":
			return r, nil
		}
		return r, problem.New(problem.CodeControllerStart).Because(saysLog(log, began, errors.New("it ended before it answered")))
	case <-time.After(launchWithin):
		_ = cmd.Process.Kill() // nobody would know of it
		return Ready{}, problem.New(problem.CodeControllerStart).Because(saysLog(log, began, fmt.Errorf("it did not answer within %v", launchWithin)))
	case <-ctx.Done():
		return Ready{}, ctx.Err() // it comes up, for whoever is next
	}
}

// saysLog adds what was logged since began.
func saysLog(log *os.File, began int64, err error) error {
	if log == nil {
		return err
	}
	said, _ := io.ReadAll(io.NewSectionReader(log, began, saidOfLog))
	if text := strings.TrimSpace(string(said)); text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}
