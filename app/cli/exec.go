package cli

import (
	"bytes"
	"context"
	"io"

	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/task"
)

// maxStdin is what a program can be given on its standard input.
const maxStdin = 512 << 10

func (e *env) execCommand() *cobra.Command {
	var folders []string
	var cwd, runtime string
	var stdin bool
	var room sizeFlags
	cmd := &cobra.Command{
		Use:   "exec [--folder PATH[:ro|:rw|:review]]... -- CMD ARG...",
		Short: "Run a program in the workroom",
		Long: "Runs a program in a fresh workroom that sees only the folders given (read-only\n" +
			"unless :rw; with :review its changes wait for your yes), without network. It is\n" +
			"a task like any other: recorded, listed, undoable.",
		Example: "  piwork exec --folder ~/Documents -- ls -l",
		Args:    cobra.MinimumNArgs(1),
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringArrayVarP(&folders, "folder", "f", nil, "a folder that it may see; again for more than one")
	f.StringVar(&cwd, "cwd", "", "where it starts, in the workroom")
	f.BoolVarP(&stdin, "stdin", "i", false, "give it this standard input, up to its end")
	room.add(cmd)
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
		req := app.StartRequest{Kind: task.KindExec, Argv: args, Cwd: cwd, Stdin: in, Folders: chosen, Accept: e.yes, Accel: e.accel}
		if err := room.fill(&req); err != nil {
			return err
		}
		return e.with(ctx, func(ctx context.Context, s *session) error {
			return e.task(ctx, s, req)
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
		return nil, usage("standard input is over %s; put it into a folder instead", size(maxStdin))
	}
	return b.Bytes(), nil
}
