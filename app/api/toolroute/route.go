// Package toolroute puts the operations on files (package pack/tools) on HTTP: POST
// /v1/tools/{name} for each, made from its definition, with the schemas of its parameters and
// of its reports.
//
//	caller ── JSON: files by their paths ─┐             ┌─ 200 what was made and what was not
//	       ── a form: files brought ──────┼─ a task of ─┼─ 200 the file itself
//	                                      │  its own    ├─ 200 a stream: its events, then result or problem
//	                                      └─            └─ 202 the task (Prefer: respond-async)
//
// What does not fit is said before anything is started. Files of a form are kept in a
// uploads.Upload until the task is over. A caller that goes away ends its task, but for 202; a
// task that takes longer than its operation may is cancelled.
package toolroute

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/api/answer"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/telemetry"
	"piwork/app/uploads"
	"piwork/pack/tools"
)

// Path is where the operations of the catalogue are, each by its name.
const Path = "/v1/tools"

// SchemaPrefix begins the references to schemas of the document.
const SchemaPrefix = "#/components/schemas/"

// Service is what the operations ask of a controller.
type Service interface {
	StartTask(context.Context, tasks.StartRequest) (task.Task, error)
	Task(ctx context.Context, id string) (task.Task, error)
	CancelTask(ctx context.Context, id string) (task.Task, error)
	OpenResult(ctx context.Context, id string, index int) (io.ReadSeekCloser, task.Result, error)
	Packs(context.Context) ([]runtimepack.Info, error)
	Subscribe(f task.EventFilter) (events <-chan task.Event, cancel func())
}

// Uploader keeps files that come with a request. A service that is this
// computer's own is one; a client of another process is not.
type Uploader interface {
	NewUpload(ctx context.Context) (*uploads.Upload, error)
}

var _ Uploader = (*tasks.Runner)(nil)

// Server runs the operations.
type Server struct {
	Service   Service
	Log       *slog.Logger
	Heartbeat time.Duration // between comments on an idle stream
	Stall     time.Duration // how long a sender of files may stop

	versions sync.Map // of programs, map[string]string, by the version of the pack
}

// route is one operation of the catalogue as a route. All of it is made from
// the operation's definition.
type route struct {
	tools.Description
	op       tools.Operation
	registry huma.Registry
	schema   string       // name of its schemas without their ends
	params   *huma.Schema // of its parameters
	body     *huma.Schema // of application/json
	info     reflect.Type // of one report; nil where there is none
}

// File is a file that an operation made.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size" doc:"in bytes"`
	SHA256 string `json:"sha256" doc:"hex"`
	Type   string `json:"type" doc:"media type, by the name"`
	URL    string `json:"url" doc:"where its bytes are, on this server"`
	Path   string `json:"path,omitempty" doc:"on this computer, where a folder was named for it; else it is kept with the task"`
}

// Answer is what an operation made and what it could not do. In the document
// each operation has its own, with the type of its reports.
type Answer struct {
	Task      string            `json:"task"`
	Operation string            `json:"operation"`
	Files     []File            `json:"files"`
	Info      []any             `json:"info"`
	Problems  []problem.Problem `json:"problems"`
	Versions  map[string]string `json:"versions"`
}

// About is what all operations have in common, for the document.
const About = "Each operation answers when it is done, and ends when its caller goes away. With Prefer: respond-async it answers with the task at once, which then goes on alone. " +
	"With Accept: text/event-stream its events come as they happen, and last the event result or problem. Its task stays listed, with what is kept with it, until it is deleted. " +
	"As application/json the files lie on this computer. As multipart/form-data they are brought, kept for as long as the operation works, and removed; " +
	"the answer is then the file itself where there is exactly one, everything could be done, and Accept does not ask for application/json. " +
	"A form that is sent again with its Idempotency-Key is the same byte for byte, its boundary too."

// Register puts the operation of a name on a huma.API. Who asks is let in by admit.
func (s *Server) Register(h huma.API, name string, admit func(huma.Context, func(huma.Context))) {
	t := newRoute(h.OpenAPI().Components.Schemas, name)
	doc := t.document()
	h.OpenAPI().AddOperation(doc)
	h.Adapter().Handle(doc, func(hc huma.Context) {
		admit(hc, func(hc huma.Context) {
			r, w := humago.Unwrap(hc)
			telemetry.Named(r.Context(), doc.OperationID)
			s.serve(w, r, t)
		})
	})
}

// Requests are the names of schemas of an operation that are requests.
func Requests(name string) []string {
	schema := schemaName(name)
	return []string{schema + "Request", schema + "Form", schema + "Params"}
}

// schemaName begins the names of the schemas of an operation.
func schemaName(operation string) (name string) {
	for word := range strings.SplitSeq(operation, ".") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// newRoute makes the schemas of an operation.
func newRoute(r huma.Registry, name string) *route {
	op, _ := tools.Find(name)
	t := &route{Description: op.Description(), op: op, registry: r, schema: schemaName(name), info: op.Report}
	t.params = schemaOf(t.Params)
	r.Map()[t.schema+"Params"] = t.params
	t.body = t.bodySchema()
	r.Map()[t.schema+"Request"] = t.body
	if t.takesForm() {
		r.Map()[t.schema+"Form"] = t.formSchema()
	}
	r.Map()[t.schema+"Result"] = t.answerSchema()
	return t
}

// takesForm reports whether files can be brought: not where the point of the
// operation is to change those that lie somewhere.
func (t *route) takesForm() bool { return !t.Changes }

func closedObject(properties map[string]*huma.Schema, required ...string) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false, Properties: properties, Required: required}
	s.PrecomputeMessages()
	return s
}

// formatByName is said of the name of a result.
const formatByName = "; where the parameter for a format is left to its default, the suffix of the name says the format"

// bodySchema is that of files on this computer.
func (t *route) bodySchema() *huma.Schema {
	properties := map[string]*huma.Schema{
		"in": {
			Type: huma.TypeArray, MinItems: new(t.MinIn), MaxItems: new(t.MaxIn),
			Description: "absolute paths on this computer; their folders are read-only for the operation" + map[bool]string{true: ", unless its point is to change them"}[t.Changes],
			Items:       &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(maxPath)},
		},
		"params":  {Ref: SchemaPrefix + t.schema + "Params"},
		"runtime": {Type: huma.TypeString, MaxLength: new(maxKind), Description: "kind of place that alone will do, see listRuntimes; without it the best one"},
	}
	required := []string{"in"}
	if t.Out != tools.OutNone {
		properties["out"] = &huma.Schema{
			Type: huma.TypeString, MinLength: new(1), MaxLength: new(maxPath),
			Description: "absolute path on this computer of what is made, in a folder that is there; without it, it is kept with the task" + formatByName,
		}
	}
	if len(t.params.Required) > 0 {
		required = append(required, "params")
	}
	return closedObject(properties, required...)
}

// formSchema is that of files that are brought; the parameters are parts.
func (t *route) formSchema() *huma.Schema {
	properties := map[string]*huma.Schema{
		formFiles: {
			Type: huma.TypeArray, MinItems: new(t.MinIn), MaxItems: new(t.MaxIn), Description: "the files, a part of this name for each",
			Items: &huma.Schema{Type: huma.TypeString, Format: "binary"},
		},
	}
	for name, s := range t.params.Properties {
		properties[name] = s
	}
	if t.Out != tools.OutNone {
		properties[formName] = &huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(maxFileName), Description: "name of what is made" + formatByName}
	}
	return closedObject(properties, append([]string{formFiles}, t.params.Required...)...)
}

// answerSchema is Answer with the reports of this operation.
func (t *route) answerSchema() *huma.Schema {
	r := t.registry
	info := &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{}, MaxItems: new(0)}
	if t.info != nil {
		info = &huma.Schema{Type: huma.TypeArray, Items: r.Schema(t.info, true, "")}
		info.Description = "of each input, or of what was made; paths as in the request"
	}
	return &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"task":      {Type: huma.TypeString, Description: "its record: /v1/tasks/{task}"},
			"operation": {Type: huma.TypeString, Enum: []any{t.Name}},
			"files":     {Type: huma.TypeArray, Items: r.Schema(reflect.TypeFor[File](), true, "")},
			"info":      info,
			"problems":  {Type: huma.TypeArray, Items: r.Schema(reflect.TypeFor[problem.Problem](), true, ""), Description: "what could not be done while the rest was"},
			"versions":  {Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString}, Description: "of the programs that it used, by their names"},
		},
		Required: []string{"task", "operation", "files", "info", "problems", "versions"},
	}
}

// document is the operation in the document.
func (t *route) document() *huma.Operation {
	r := t.registry
	ref := func(name string) *huma.Schema { return &huma.Schema{Ref: SchemaPrefix + name} }
	media := func(s *huma.Schema) *huma.MediaType { return &huma.MediaType{Schema: s} }
	op := &huma.Operation{
		OperationID: "run" + t.schema, Method: http.MethodPost, Path: Path + "/" + t.Name, Tags: []string{"tools"},
		Summary: t.summary(),
		Parameters: []*huma.Param{{
			Name: "Prefer", In: "header", Description: "respond-async: answer with the task at once (RFC 7240)",
			Schema: &huma.Schema{Type: huma.TypeString, MaxLength: new(maxPrefer)},
		}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": media(ref(t.schema + "Request"))}},
		Responses: map[string]*huma.Response{
			"200": {
				Description: "Done, as far as the problems do not say otherwise. The stream's data is an Event, and last the result or the problem",
				Content: map[string]*huma.MediaType{
					"application/json":  media(ref(t.schema + "Result")),
					"text/event-stream": media(&huma.Schema{AnyOf: []*huma.Schema{ref("Event"), ref(t.schema + "Result"), ref("ApiError")}}),
				},
			},
			"202":     {Description: "Begun; Location names the task", Content: map[string]*huma.MediaType{"application/json": media(r.Schema(reflect.TypeFor[task.Task](), true, ""))}},
			"default": {Description: "Error. 422 says what does not fit, or why the operation failed; 409 that an add-on is missing or a file is in the way; 413 that too much was brought", Content: map[string]*huma.MediaType{answer.ProblemJSON: media(r.Schema(reflect.TypeFor[answer.Error](), true, ""))}},
		},
	}
	if t.takesForm() {
		op.RequestBody.Content["multipart/form-data"] = media(ref(t.schema + "Form"))
		if t.Out != tools.OutNone {
			op.Responses["200"].Content["*/*"] = media(&huma.Schema{Type: huma.TypeString, Format: "binary"})
		}
	}
	return op
}

func (t *route) summary() string {
	out := map[tools.Output]string{
		tools.OutNone: "reports on files", tools.OutFile: "makes one file", tools.OutEach: "makes a file of each", tools.OutFolder: "makes files",
	}[t.Out]
	if t.Changes {
		out = "changes files"
	}
	if len(t.AddOns) > 0 {
		out += "; needs the add-on " + strings.Join(t.AddOns, ", ")
	}
	return fmt.Sprintf("%s: %s", t.Name, out)
}

// schemaOf reads a JSON schema of the catalogue. It knows the words that
// package tools uses.
func schemaOf(m map[string]any) *huma.Schema {
	s := &huma.Schema{}
	for word, v := range m {
		switch word {
		case "type":
			s.Type, _ = v.(string)
		case "default":
			s.Default = v
		case "format":
			s.Format, _ = v.(string)
		case "writeOnly":
			s.WriteOnly, _ = v.(bool)
		case "additionalProperties":
			s.AdditionalProperties = v
		case "required":
			s.Required, _ = v.([]string)
		case "enum":
			list, _ := v.([]string)
			for _, e := range list {
				s.Enum = append(s.Enum, e)
			}
		case "minimum":
			s.Minimum = number(v)
		case "maximum":
			s.Maximum = number(v)
		case "minLength":
			s.MinLength = length(v)
		case "maxLength":
			s.MaxLength = length(v)
		case "minItems":
			s.MinItems = length(v)
		case "maxItems":
			s.MaxItems = length(v)
		case "items":
			if items, isMap := v.(map[string]any); isMap {
				s.Items = schemaOf(items)
			}
		case "properties":
			s.Properties = map[string]*huma.Schema{}
			all, _ := v.(map[string]any)
			for name, p := range all {
				if property, isMap := p.(map[string]any); isMap {
					s.Properties[name] = schemaOf(property)
				}
			}
		}
	}
	s.PrecomputeMessages()
	return s
}

func number(v any) *float64 {
	if n, isInt := v.(int64); isInt {
		return new(float64(n))
	}
	return nil
}

func length(v any) *int {
	if n, isInt := v.(int); isInt {
		return new(n)
	}
	return nil
}
