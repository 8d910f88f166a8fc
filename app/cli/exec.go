package cli

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"piwork/app/cli/terminal"
	"piwork/app/task"
	"piwork/app/tasks"
)

// maxStdin is what a program can be given on its standard input.
const maxStdin = 512 << 10

func execCommand(e *env) *cobra.Command {
	var folders, env []string
	var cwd, runtime string
	var bounds boundFlags
	var stdin bool
	var room sizeFlags
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
	f.StringArrayVarP(&folders, "folder", "f", nil, "a folder that it may see; again for more than one")
	f.StringVar(&cwd, "cwd", "", "where it starts, in the workroom")
	f.BoolVarP(&stdin, "stdin", "i", false, "give it this standard input, up to its end")
	f.StringArrayVarP(&env, "env", "e", nil, "NAME=VALUE, or NAME with the value that it has here; a variable of the program, again for more than one")
	room.add(cmd)
	bounds.add(cmd)
	f.StringVar(&runtime, "runtime", "vm", "where it runs: vm")
	cmd.RunE = do(func(ctx context.Context, args []string) error {
		if runtime != "vm" {
			return usage("--runtime %s is not there yet; vm is", runtime)
		}
		chosen, err := parseFolders(folders)
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
		if req.Env, err = parseEnv(env); err != nil {
			return err
		}
		if err := errors.Join(room.fill(&req), bounds.fill(&req)); err != nil {
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
		return nil, usage("standard input is over %s; put it into a folder instead", terminal.Size(maxStdin))
	}
	return b.Bytes(), nil
}
