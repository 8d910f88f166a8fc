package cli

import (
	"context"
	"path"
	"path/filepath"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/task"
	"piwork/vmhost/wire"
)

func (e *env) toolCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "Single operations of the runtime pack",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.AddCommand(e.toolRunCommand())
	return cmd
}

func (e *env) toolRunCommand() *cobra.Command {
	var in, set []string
	var out string
	cmd := &cobra.Command{
		Use:   "run OP --in FILE... [--out FILE] [--set NAME=VALUE]...",
		Short: "Run one operation on files",
		Long: "Runs one operation in the workroom. The folders of the input files are\n" +
			"read-only in it; only the folder of --out may be changed. Without --out the\n" +
			"operation only reports (--json shows what).",
		Example: "  piwork tool run image.info --in photo.jpg --json\n" +
			"  piwork tool run image.convert --in photo.jpg --out photo.pdf --set format=pdf",
		Args: cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.StringArrayVar(&in, "in", nil, "a file to work on; again for more than one")
	f.StringVar(&out, "out", "", "the file to make; it must not be there yet")
	f.StringArrayVar(&set, "set", nil, "NAME=VALUE of the operation")
	cmd.RunE = do(func(ctx context.Context, args []string) error {
		req, err := toolRequest(args[0], in, out, set)
		if err != nil {
			return err
		}
		req.Accel = e.accel
		return e.with(ctx, func(ctx context.Context, s *session) error { return e.task(ctx, s, req) })
	})
	return cmd
}

// toolRequest shares the folders of the files and names the files in them. The
// workroom names a folder as it is named here; two of the same name would be
// told apart in an order that only the controller knows.
func toolRequest(op string, in []string, out string, set []string) (app.StartRequest, error) {
	var req app.StartRequest
	if len(in) == 0 {
		return req, usage("which file? Add --in FILE")
	}
	params, err := parseSet(set)
	if err != nil {
		return req, err
	}
	tool := wire.ToolParams{ID: uuid.NewString(), Op: op, Params: params}
	folders := map[string]int{} // by path
	names := map[string]string{}
	add := func(file string, mode task.Mode) (string, error) {
		abs, err := filepath.Abs(file)
		if err != nil {
			return "", err
		}
		dir, name := filepath.Dir(abs), filepath.Base(abs)
		folder := filepath.Base(dir)
		if other, taken := names[folder]; taken && other != dir {
			return "", usage("two folders are named %s: copy the files into one folder first", folder)
		}
		names[folder] = dir
		i, known := folders[dir]
		if !known {
			i = len(req.Folders)
			folders[dir] = i
			req.Folders = append(req.Folders, app.FolderRequest{Path: dir, Mode: mode})
		} else if mode == task.ModeReadWrite {
			req.Folders[i].Mode = mode
		}
		return path.Join(wire.FoldersDir, folder, name), nil
	}
	for _, file := range in {
		guest, err := add(file, task.ModeReadOnly)
		if err != nil {
			return req, err
		}
		tool.In = append(tool.In, guest)
	}
	if out != "" {
		if tool.Out, err = add(out, task.ModeReadWrite); err != nil {
			return req, err
		}
	}
	req.Kind, req.Tool = task.KindTool, &tool
	return req, nil
}
