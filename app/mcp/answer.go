package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"piwork/app/problem"
	"piwork/app/task"
)

// maxText bounds a text for a model, in bytes. Of a longer one it gets the beginning and the
// end.
const maxText = 64 << 10

// maxListed bounds the files, problems, changes and tasks that a model is told of at once.
const maxListed = 100

// clip is a text within maxText, and whether that is all of it.
func clip(b []byte) (string, bool) {
	b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	if len(b) <= maxText {
		return string(b), true
	}
	tail := b[len(b)-maxText/2:]
	_, head := letters(b[:maxText/2], false, true)
	from, _ := letters(tail, true, false)
	tail = tail[from:]
	return fmt.Sprintf("%s\n[… %d bytes are left out …]\n%s", b[:head], len(b)-head-len(tail), tail), false
}

// letters are where the whole letters of a piece of a text begin and end in it; before and behind
// say that it may have been cut within a letter there.
func letters(b []byte, before, behind bool) (from, to int) {
	for before && from < min(len(b), utf8.UTFMax-1) && !utf8.RuneStart(b[from]) {
		from++
	}
	last := len(b) - 1
	for last > from && last > len(b)-utf8.UTFMax+1 && !utf8.RuneStart(b[last]) {
		last--
	}
	if behind && last >= from && !utf8.FullRune(b[last:]) {
		return from, last
	}
	return from, len(b)
}

// answered adds to the result of a tool what it gives: as a value, and as text where the result has
// none.
func answered(res *sdk.CallToolResult, out any) (*sdk.CallToolResult, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // in a text, an escape is more to read
	if err := e.Encode(out); err != nil {
		return nil, err
	}
	if res == nil {
		res = &sdk.CallToolResult{}
	}
	value := bytes.TrimSpace(b.Bytes())
	res.StructuredContent = json.RawMessage(value)
	if res.Content == nil {
		res.Content = []sdk.Content{&sdk.TextContent{Text: string(value)}}
	}
	return res, nil
}

// said is an error as a model is told it: a problem in words, with what is known of its
// cause.
func (d *Door) said(err error) error {
	p := problem.From(err).Clone()
	d.o.Words.Problem(p)
	parts := []string{sentence(p.Title), p.Detail, p.Reason}
	if p.Code == problem.CodeBadRequest {
		parts = append(parts, p.Details)
	}
	text, _ := clip([]byte(joined(parts, " ")))
	return errors.New(text)
}

// sentence ends a title as a sentence does.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?!:") {
		return s
	}
	return s + "."
}

// joined are the texts that say something.
func joined(texts []string, between string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" }), between)
}

// Kept is a file that a task made.
type Kept struct {
	Name string `json:"name"`
	Size int64  `json:"size" jsonschema:"bytes"`
	Path string `json:"path,omitempty" jsonschema:"in the workroom, where it is in a folder"`
	URI  string `json:"uri" jsonschema:"of the resource that has its content"`
}

// Outcome is how a task stands.
type Outcome struct {
	Task     string   `json:"task" jsonschema:"id of the task"`
	Title    string   `json:"title"`
	State    string   `json:"state" jsonschema:"queued, preparing, running, waiting (for the person), done, failed or cancelled"`
	Files    []Kept   `json:"files" jsonschema:"that it made"`
	Info     []any    `json:"info,omitempty" jsonschema:"what it found out"`
	More     int      `json:"more,omitempty" jsonschema:"so many more files, findings and problems are not listed"`
	Answer   string   `json:"answer,omitempty" jsonschema:"what the AI said last"`
	Waits    []string `json:"waits,omitempty" jsonschema:"what the person is asked and has not answered"`
	Problems []string `json:"problems,omitempty" jsonschema:"what could not be done while the rest was"`
	Error    string   `json:"error,omitempty" jsonschema:"why it failed"`
	ExitCode *int     `json:"exitCode,omitempty" jsonschema:"of a program"`
}

// outcome is what a model is told of a task.
func (d *Door) outcome(t task.Task) Outcome {
	out := Outcome{Task: t.ID, Title: t.Called, State: string(t.State), Files: []Kept{}, ExitCode: t.ExitCode}
	out.Title = cmp.Or(out.Title, t.Title)
	size := 0
	for i, v := range t.Info {
		if size += len(asJSON(v)); size > maxText {
			out.More += len(t.Info) - i
			break
		}
		out.Info = append(out.Info, v)
	}
	for i, r := range t.Results {
		if i == maxListed {
			out.More += len(t.Results) - i
			break
		}
		k := Kept{Name: r.Path[strings.LastIndexByte(r.Path, '/')+1:], Size: r.Size, URI: resultURI(t.ID, i)}
		for _, f := range t.Folders {
			if r.Folder != "" && f.ID == r.Folder {
				k.Path = folderPath(f) + "/" + r.Path
			}
		}
		out.Files = append(out.Files, k)
	}
	for i, p := range t.Problems {
		if i == maxListed {
			out.More += len(t.Problems) - i
			break
		}
		out.Problems = append(out.Problems, d.said(&p).Error())
	}
	if t.Error != nil {
		out.Error = d.said(t.Error).Error()
	}
	return out
}

// result is an outcome as the answer of a tool: a task that failed is an error of the tool,
// and says all the same what it made.
func result(out Outcome) *sdk.CallToolResult {
	res := &sdk.CallToolResult{IsError: out.State == string(task.StateFailed)}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", out.Title, out.State)
	for _, part := range [][]string{{out.Answer}, {out.Error}, out.Problems, out.Waits} {
		for _, line := range part {
			if line != "" {
				b.WriteString(line + "\n")
			}
		}
	}
	if len(out.Waits) > 0 {
		fmt.Fprintf(&b, "The person decides that in piwork. Ask with wait_for_task %s how it goes on.\n", out.Task)
	}
	for _, i := range out.Info {
		fmt.Fprintf(&b, "%s\n", asJSON(i))
	}
	text, _ := clip([]byte(b.String()))
	res.Content = append(res.Content, &sdk.TextContent{Text: text})
	for _, f := range out.Files {
		res.Content = append(res.Content, &sdk.ResourceLink{URI: f.URI, Name: f.Name, Description: f.Path, Size: &f.Size})
	}
	return res
}
