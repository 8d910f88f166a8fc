package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/pack/tools"
)

// operationInput is what every operation takes.
type operationInput struct {
	In     []string       `json:"in"`
	Out    string         `json:"out"`
	Params map[string]any `json:"params"`
}

// addOperations makes a tool of each operation of the catalogue. Names of tools have no dots:
// not every client takes them.
func (d *Door) addOperations(s *sdk.Server) {
	for _, o := range tools.Catalogue() {
		d.o.Words.Tool(&o)
		yes, no := true, false
		addTool(d, s, &sdk.Tool{
			Name: toolName(o.Name), Title: o.Title, Description: o.About, InputSchema: operationSchema(o),
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: !o.Changes && o.Out == tools.OutNone, DestructiveHint: pick(o.Changes, &yes, &no), OpenWorldHint: &no},
		}, func(ctx context.Context, c *call, in map[string]any) (*sdk.CallToolResult, Outcome, error) {
			var of operationInput
			b, err := json.Marshal(in)
			if err == nil {
				err = json.Unmarshal(b, &of)
			}
			if err != nil {
				return nil, Outcome{}, err
			}
			out, err := d.operate(ctx, c, o, of)
			if err != nil {
				return nil, Outcome{}, err
			}
			return result(out), out, nil
		})
	}
}

func toolName(operation string) string { return strings.ReplaceAll(operation, ".", "_") }

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// operationSchema is the schema of an operation's input.
func operationSchema(o tools.Description) map[string]any {
	in := map[string]any{
		"type": "array", "items": map[string]any{"type": "string"}, "minItems": o.MinIn,
		"description": "files" + pick(o.Folders, " or folders", "") + " of the workroom, such as /folders/NAME/file",
	}
	if o.MaxIn > 0 {
		in["maxItems"] = o.MaxIn
	}
	properties := map[string]any{"in": in}
	if o.Out != tools.OutNone && !o.Changes {
		properties["out"] = map[string]any{
			"type":        "string",
			"description": "file, or folder for several, of the workroom; its folder must be one that may be changed. Without it the result is kept with the task, as a resource",
		}
	}
	if all, _ := o.Params["properties"].(map[string]any); len(all) > 0 {
		params := maps.Clone(o.Params)
		delete(params, "required") // what the name of the result can say; the operation says what is missing
		properties["params"] = params
	}
	return map[string]any{"type": "object", "properties": properties, "required": []string{"in"}, "additionalProperties": false}
}

// operate does an operation on files of the workroom.
func (d *Door) operate(ctx context.Context, c *call, o tools.Description, in operationInput) (Outcome, error) {
	call := toolcall.Call{Op: o.Name, Params: in.Params}
	for _, p := range in.In {
		here, err := d.here(p)
		if err != nil {
			return Outcome{}, err
		}
		call.In = append(call.In, here)
	}
	if in.Out != "" {
		here, err := d.here(in.Out)
		if err != nil {
			return Outcome{}, err
		}
		call.Out = here
	}
	p, err := call.On(d.folders)
	if err != nil {
		return Outcome{}, err
	}
	return d.begin(ctx, c, tasks.StartRequest{Kind: task.KindTool, Tool: &p, Folders: d.shared(o.Changes || in.Out != "")})
}
