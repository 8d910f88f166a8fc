package cli

import (
	"context"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"piwork/app"
	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

func (e *env) toolCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "Single operations of the runtime pack",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cmd.AddCommand(e.toolListCommand(), e.toolRunCommand())
	return cmd
}

func (e *env) toolListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the operations and their parameters", Args: cobra.NoArgs,
		RunE: do(func(context.Context, []string) error {
			all := tools.Catalogue()
			e.answer(all, func() {
				for _, d := range all {
					made := "only reports"
					switch d.Out {
					case tools.OutFile, tools.OutEach:
						made = "makes a file"
					case tools.OutFolder:
						made = "fills a folder"
					}
					if d.Changes {
						made = "changes its files"
					}
					e.say("%s (%s)", d.Name, made)
					properties := properties(d)
					for _, name := range sortedKeys(properties) {
						e.say("  --set %s=%s", name, choices(properties[name]))
					}
				}
			})
			return nil
		}),
	}
}

// properties are the parameters in an operation's schema.
func properties(d tools.Description) map[string]map[string]any {
	all, _ := d.Params["properties"].(map[string]any)
	out := map[string]map[string]any{}
	for name, v := range all {
		if p, ok := v.(map[string]any); ok {
			out[name] = p
		}
	}
	return out
}

// choices says what a parameter can be.
func choices(p map[string]any) string {
	text := shown(p["type"])
	switch values := p["enum"].(type) {
	case []any:
		text = strings.Join(mapped(values, shown), "|")
	case []string:
		text = strings.Join(values, "|")
	}
	if d := p["default"]; shown(d) != "" {
		text += "  (otherwise " + shown(d) + ")"
	}
	return text
}

// typed gives the values of --set the types of an operation's schema. What is
// not in it stays text: the operation says what is wrong with it.
func typed(op string, set map[string]any) map[string]any {
	for _, d := range tools.Catalogue() {
		if d.Name != op {
			continue
		}
		for name, p := range properties(d) {
			text, ok := set[name].(string)
			if !ok {
				continue
			}
			switch shown(p["type"]) {
			case "integer":
				if n, err := strconv.ParseInt(text, 10, 64); err == nil {
					set[name] = n
				}
			case "number":
				if n, err := strconv.ParseFloat(text, 64); err == nil {
					set[name] = n
				}
			case "boolean":
				if b, err := strconv.ParseBool(text); err == nil {
					set[name] = b
				}
			}
		}
	}
	return set
}

func (e *env) toolRunCommand() *cobra.Command {
	var in, set []string
	var out string
	var room sizeFlags
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
	room.add(cmd)
	cmd.RunE = do(func(ctx context.Context, args []string) error {
		req, err := toolRequest(args[0], in, out, set)
		if err == nil {
			err = room.fill(&req)
		}
		if err != nil {
			return err
		}
		req.Accel, req.Accept = e.accel, e.yes
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
	tool := wire.ToolParams{ID: uuid.NewString(), Op: op, Params: typed(op, params)}
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
