package cli

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
)

// maxStdin is what a program can be given on its standard input.
const maxStdin = 512 << 10

func execCommand(e *env) *cobra.Command {
	var folders, env []string
	var cwd, runtime string
	var bounds flags.Bounds
	var stdin bool
	var room flags.Machine
	cmd := &cobra.Command{Use: "exec [--folder PATH[:ro|:rw|:review]]... -- CMD ARG...", Args: cobra.MinimumNArgs(1)}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringArrayVarP(&folders, "folder", "f", nil, "")
	f.StringVar(&cwd, "cwd", "", "")
	f.BoolVarP(&stdin, "stdin", "i", false, "")
	f.StringArrayVarP(&env, "env", "e", nil, "")
	room.Add(cmd)
	bounds.Add(cmd)
	f.StringVar(&runtime, "runtime", "vm", "")
	cmd.RunE = command.Do(func(ctx context.Context, args []string) error {
		if runtime != "vm" {
			return flags.Usage("runtime", "value", runtime)
		}
		chosen, err := flags.ParseFolders(folders)
		if err != nil {
			return err
		}
		var in []byte
		if stdin {
			if in, err = readStdin(e); err != nil {
				return err
			}
		}
		req := tasks.StartRequest{Kind: task.KindExec, Argv: args, Cwd: cwd, Stdin: in, Folders: chosen, Accept: e.Yes, MachineChoice: tasks.MachineChoice{Accel: e.Accel}}
		if req.Env, err = flags.ParseEnv(env); err != nil {
			return err
		}
		if err := errors.Join(room.Fill(&req), bounds.Fill(&req)); err != nil {
			return err
		}
		return e.With(ctx, func(ctx context.Context, s *session) error {
			return startTask(ctx, s, req)
		})
	})
	return cmd
}

// readStdin reads the whole standard input.
func readStdin(e *env) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(e.Stdin, maxStdin+1))
	if err != nil {
		return nil, err
	}
	if n > maxStdin {
		return nil, flags.Usage("stdin-large", "bytes", maxStdin)
	}
	return b.Bytes(), nil
}

// Exit statuses of `piwork exec` that are not the program's own, as timeout(1) and
// containers have them.
const (
	ExitTimeUp  = 124 // --timeout was over
	ExitOwn     = 125 // piwork failed, or refused
	ExitNoStart = 127 // the program could not be started
)

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
