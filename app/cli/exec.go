package cli

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
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
	cmd := &cobra.Command{
		Use:   "exec [--folder PATH[:ro|:rw|:review]]... -- CMD ARG...",
		Short: "Run a program in the workroom",
		Long: "Runs a program in a fresh workroom that sees only the folders given (read-only\n" +
			"unless :rw; with :review its changes wait for your yes), without network unless\n" +
			"--network says otherwise. It is a task like any other: recorded, listed, undoable.\n\n" +
			"The exit status is the program's own, 128+N where signal N ended it. Where piwork\n" +
			"has something to say, it is 124 (--timeout was over), 127 (the program could not be\n" +
			"started), 125 (anything else: a wrong option, setup required, nobody there to be\n" +
			"asked) or 130 (you stopped it); --json says which.",
		Example: "  piwork exec --folder ~/Documents -- ls -l\n" +
			"  piwork exec --network restricted --env LANG --timeout 10m --folder .:rw -- npm ci",
		Args: cobra.MinimumNArgs(1),
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringArrayVarP(&folders, "folder", "f", nil, "a folder to share; repeat for more")
	f.StringVar(&cwd, "cwd", "", "where it starts, in the workroom")
	f.BoolVarP(&stdin, "stdin", "i", false, "give it this standard input, up to its end")
	f.StringArrayVarP(&env, "env", "e", nil, "NAME=VALUE, or NAME with the value that it has here; a variable of the program, again for more than one")
	room.Add(cmd)
	bounds.Add(cmd)
	f.StringVar(&runtime, "runtime", "vm", "where it runs: vm")
	cmd.RunE = do(func(ctx context.Context, args []string) error {
		if runtime != "vm" {
			return flags.Usage("--runtime %s is not there yet; vm is", runtime)
		}
		chosen, err := flags.ParseFolders(folders)
		if err != nil {
			return err
		}
		var in []byte
		if stdin {
			if in, err = e.stdin(); err != nil {
				return err
			}
		}
		req := tasks.StartRequest{Kind: task.KindExec, Argv: args, Cwd: cwd, Stdin: in, Folders: chosen, Accept: e.Yes, MachineChoice: tasks.MachineChoice{Accel: e.accel}}
		if req.Env, err = flags.ParseEnv(env); err != nil {
			return err
		}
		if err := errors.Join(room.Fill(&req), bounds.Fill(&req)); err != nil {
			return err
		}
		return e.with(ctx, func(ctx context.Context, s *session) error {
			return startTask(ctx, s, req)
		})
	})
	return cmd
}

// stdin reads the whole standard input.
func (e *env) stdin() ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(e.Stdin, maxStdin+1))
	if err != nil {
		return nil, err
	}
	if n > maxStdin {
		return nil, flags.Usage("standard input is over %s; put it into a folder instead", terminal.Size(maxStdin))
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
