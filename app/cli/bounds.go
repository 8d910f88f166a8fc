package cli

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

// Exit statuses of `piwork exec` that are not the program's own, as timeout(1) and
// containers have them.
const (
	ExitTimeUp  = 124 // --timeout was over
	ExitOwn     = 125 // piwork failed, or refused
	ExitNoStart = 127 // the program could not be started
)

// boundFlags are what a task may reach, how long it may take, and how much it may read
// and write.
type boundFlags struct {
	network string
	timeout time.Duration
	io      string
}

func (b *boundFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.network, "network", "", "off (the default), restricted (asks for each host) or on (anything but private addresses)")
	b.addLimits(cmd)
}

func (b *boundFlags) addLimits(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&b.timeout, "timeout", 0, "stop it after this time, such as 90s or 2h")
	cmd.Flags().StringVar(&b.io, "io", "", "stop it when it has read and written so much in all, such as 500M or 2G")
}

// limits are those that were given.
func (b *boundFlags) limits() (l wire.Limits, err error) {
	if b.timeout < 0 || b.timeout > 0 && b.timeout < time.Millisecond {
		return l, usage("--timeout must be at least 1ms, such as 90s or 2h")
	}
	l.WallMS = b.timeout.Milliseconds()
	if b.io != "" {
		mb, err := parseMemory(b.io)
		if err != nil || mb <= 0 {
			return l, usage("--io must be a size, such as 500M or 2G")
		}
		l.IOBytes = int64(mb) << 20
	}
	return l, nil
}

// fill puts what was given into a request.
func (b *boundFlags) fill(r *tasks.StartRequest) (err error) {
	r.Network = task.Network(b.network)
	r.Limits, err = b.limits()
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
