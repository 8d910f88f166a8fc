package flags

import (
	"os"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

// Bounds are what a task may reach, how long it may take, and how much it may read
// and write.
type Bounds struct {
	network string
	timeout time.Duration
	io      string
}

// Add gives a command all of the flags.
func (b *Bounds) Add(cmd *cobra.Command) {
	OneWord(cmd.Flags(), &b.network, "network", Networks...)
	b.AddLimits(cmd)
}

// AddTimeout gives a command the flag about time.
func (b *Bounds) AddTimeout(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&b.timeout, "timeout", 0, "")
}

// AddLimits gives a command the flags about time and bytes.
func (b *Bounds) AddLimits(cmd *cobra.Command) {
	b.AddTimeout(cmd)
	cmd.Flags().StringVar(&b.io, "io", "", "")
}

// Limits are those that were given.
func (b *Bounds) Limits() (l wire.Limits, err error) {
	if b.timeout < 0 || b.timeout > 0 && b.timeout < time.Millisecond {
		return l, Usage("timeout")
	}
	l.WallMS = b.timeout.Milliseconds()
	if b.io != "" {
		mb, err := ParseMemory(b.io)
		if err != nil || mb <= 0 {
			return l, Usage("io")
		}
		l.IOBytes = int64(mb) << 20
	}
	return l, nil
}

// Fill puts what was given into a request.
func (b *Bounds) Fill(r *tasks.StartRequest) (err error) {
	r.Network = task.Network(b.network)
	r.Limits, err = b.Limits()
	return err
}

// Cwd says what is wrong with where a program is to start in its workroom.
func Cwd(dir string) error {
	if dir != "" && !path.IsAbs(dir) {
		return Usage("cwd", "value", dir)
	}
	return nil
}

// ParseEnv reads the variables of a program. A name alone has the value that it has
// here; where it has none the program has none either.
func ParseEnv(given []string) (map[string]string, error) {
	var out map[string]string
	for _, g := range given {
		name, value, set := strings.Cut(g, "=")
		if name == "" {
			return nil, Usage("env", "value", g)
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
