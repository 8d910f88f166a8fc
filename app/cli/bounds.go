package cli

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/problem"
	"piwork/app/task"
)

// Exit statuses of `piwork exec` that are not the program's own, as timeout(1) and
// containers have them.
const (
	ExitTimeUp  = 124 // --timeout was over
	ExitOwn     = 125 // piwork failed, or refused
	ExitNoStart = 127 // the program could not be started
)

// boundFlags are what a task may reach, and how long it may take.
type boundFlags struct {
	network string
	timeout time.Duration
}

func (b *boundFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.network, "network", "", "off (the default), restricted (asks for each host) or on (anything but private addresses)")
	b.addTimeout(cmd)
}

func (b *boundFlags) addTimeout(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&b.timeout, "timeout", 0, "stop it after this time, such as 90s or 2h")
}

// wall is the time in milliseconds.
func (b *boundFlags) wall() (int64, error) {
	if b.timeout < 0 || b.timeout > 0 && b.timeout < time.Millisecond {
		return 0, usage("--timeout is a time from 1ms, such as 90s")
	}
	return b.timeout.Milliseconds(), nil
}

// fill puts what was given into a request.
func (b *boundFlags) fill(r *app.StartRequest) error {
	wall, err := b.wall()
	r.Network, r.Limits.WallMS = task.Network(b.network), wall
	return err
}

// parseEnv reads the variables of a program. A name alone has the value that it has
// here; where it has none the program has none either.
func parseEnv(given []string) (map[string]string, error) {
	var out map[string]string
	for _, g := range given {
		name, value, set := strings.Cut(g, "=")
		if name == "" {
			return nil, usage("--env %q has no name: NAME=VALUE", g)
		}
		if !set {
			if value, set = os.LookupEnv(name); !set {
				continue
			}
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out, nil
}

// programStatus is the exit status of `piwork exec` for a task that is over.
func programStatus(t task.Task, refused bool) int {
	switch {
	case t.Error == nil && t.ExitCode != nil:
		if *t.ExitCode == 0 && refused {
			return ExitOwn
		}
		return *t.ExitCode
	case t.Error == nil:
		return ExitOwn
	case t.Error.Code == problem.CodeTimeout:
		return ExitTimeUp
	case t.Error.Code == problem.CodeStartFailed:
		return ExitNoStart
	case t.Error.Code == problem.CodeCancelled:
		return ExitCancelled
	case t.ExitCode != nil && *t.ExitCode != 0: // it ended by itself, or for lack of memory
		return *t.ExitCode
	}
	return ExitOwn
}
