package toolroute

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"piwork/app/api/answer"
	"piwork/app/problem"
	"piwork/app/tasks"
	"piwork/app/toolcall"
	"piwork/app/uploads"
)

// Bounds of what a request brings, in bytes.
const (
	MaxCall      = 16 << 20 // of JSON: the longest list of paths
	maxFile      = 1 << 30
	maxForm      = 4 << 30
	maxFieldSize = 64 << 10 // of a parameter
	maxFileName  = 255
)

// Names of parts that are no parameters.
const (
	formFiles = "in"
	formName  = "out"
)

// readJSON reads a call whose files lie on this computer.
func (t *route) readJSON(body io.Reader) (tasks.ToolCall, error) {
	call := tasks.ToolCall{Call: toolcall.Call{Op: t.Name}}
	data, err := io.ReadAll(io.LimitReader(body, MaxCall+1))
	if err != nil {
		return call, cutOff(err)
	}
	if len(data) > MaxCall {
		return call, answer.TooLarge(MaxCall, fmt.Sprintf("more than %d bytes", MaxCall))
	}
	var given any
	if err := answer.Unmarshal(data, &given); err != nil {
		return call, answer.Simple(http.StatusBadRequest, problem.CodeBadRequest, "the body is not JSON: "+err.Error())
	}
	if err := t.fits(t.body, given); err != nil {
		return call, err
	}
	object, _ := given.(map[string]any)
	list, _ := object["in"].([]any)
	for _, in := range list {
		name, _ := in.(string)
		call.In = append(call.In, name)
	}
	call.Out, _ = object["out"].(string)
	call.Params, _ = object["params"].(map[string]any)
	call.Runtime, _ = object["runtime"].(string)
	return call, nil
}

// fits checks a value against a schema of the operation.
func (t *route) fits(s *huma.Schema, v any) error {
	res := &huma.ValidateResult{}
	path := huma.NewPathBuffer([]byte{}, 0)
	path.Push("body")
	huma.Validate(t.registry, s, path, huma.ModeWriteToServer, v, res)
	for _, err := range res.Errors {
		if d, is := errors.AsType[*huma.ErrorDetail](err); is {
			d.Value = nil // may be a password, or any length
		}
	}
	if len(res.Errors) > 0 {
		return answer.Invalid(http.StatusUnprocessableEntity, "validation failed", res.Errors...)
	}
	return nil
}

// readForm keeps the files that a request brings and reads its parameters.
func (t *route) readForm(r *http.Request, body io.ReadCloser, uploads Uploader) (call tasks.ToolCall, err error) {
	call = tasks.ToolCall{Call: toolcall.Call{Op: t.Name, Params: map[string]any{}}}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(body, strings.NewReader("\r\n"), cutBody{}), body}
	parts, err := r.MultipartReader()
	if err != nil {
		return call, answer.Simple(http.StatusBadRequest, problem.CodeBadRequest, "the body is no form: "+err.Error())
	}
	if call.Upload, err = uploads.NewUpload(r.Context()); err != nil {
		return call, err
	}
	form := formReader{route: t, call: &call, room: maxForm}
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return call, cutOff(err)
		}
		if err := form.part(part); err != nil {
			return call, err
		}
	}
	switch _, err := io.CopyN(io.Discard, body, maxFieldSize); { // what comes after the last part
	case err == nil:
		return call, answer.Simple(http.StatusBadRequest, problem.CodeBadRequest, "the body goes on after its last part")
	case !errors.Is(err, io.EOF):
		return call, cutOff(err)
	}
	return call, form.check()
}

// cutBody is what follows the end of a body, where only the last boundary of a
// form may stand: package multipart takes some forms that were cut for whole ones.
type cutBody struct{}

// Read implements io.Reader.
func (cutBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// formReader reads the parts of a form, in their order.
type formReader struct {
	*route
	call *tasks.ToolCall
	room int64 // bytes that files may still have
	name bool  // what is made was given one
}

func (f *formReader) part(p *multipart.Part) error {
	switch name := p.FormName(); name {
	case formFiles:
		return f.file(p)
	case formName:
		text, err := f.text(p, name)
		switch {
		case err != nil:
			return err
		case f.Out == "none":
			return misfit(name, "the operation makes nothing")
		case f.name:
			return misfit(name, "is there twice")
		case text == "" || len(text) > maxFileName:
			return misfit(name, "is not the name of a file")
		}
		f.name, f.call.Name = true, text
		return nil
	default:
		return f.parameter(p, name)
	}
}

// file keeps one file.
func (f *formReader) file(p *multipart.Part) error {
	if p.FileName() == "" {
		return misfit(formFiles, "is no file: it has no name")
	}
	if len(f.call.In) == f.MaxIn {
		return misfit(formFiles, fmt.Sprintf("more than %d files", f.MaxIn))
	}
	path, size, err := f.call.Upload.Add(p.FileName(), p, min(maxFile, f.room))
	switch {
	case errors.Is(err, uploads.ErrTooLarge):
		return answer.TooLarge(maxFile, fmt.Sprintf("a file has at most %d bytes, and all of a request %d", int64(maxFile), int64(maxForm)))
	case errors.Is(err, uploads.ErrTooMany):
		return answer.TooLarge(uploads.MaxOfClient, fmt.Sprintf("all files of a program have at most %d bytes, until their tasks are over", int64(uploads.MaxOfClient)))
	case errors.Is(err, uploads.ErrFull):
		return problem.New(problem.CodeDiskFull).Because(err)
	case err != nil:
		return cutOff(err)
	}
	f.room -= size
	f.call.In = append(f.call.In, path)
	return nil
}

// parameter reads one parameter. Its type is that of the schema; a text that is
// none of it stays text, and check says what is wrong.
func (f *formReader) parameter(p *multipart.Part, name string) error {
	s := f.params.Properties[name]
	if s == nil {
		return misfit(short(name), "there is no such parameter")
	}
	text, err := f.text(p, name)
	if err != nil {
		return err
	}
	old, twice := f.call.Params[name]
	if s.Type == huma.TypeArray {
		list, _ := old.([]any)
		if s.MaxItems != nil && len(list) == *s.MaxItems {
			return misfit(name, fmt.Sprintf("is there more than %d times", *s.MaxItems))
		}
		f.call.Params[name] = append(list, text)
		return nil
	}
	if twice {
		return misfit(name, "is there twice")
	}
	f.call.Params[name] = typedText(s.Type, text)
	return nil
}

// typedText is the value of a text for a type of JSON schema.
func typedText(kind, text string) any {
	switch kind {
	case huma.TypeInteger:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return float64(n) // as JSON has it
		}
	case huma.TypeBoolean:
		if text == "true" || text == "false" {
			return text == "true"
		}
	}
	return text
}

// text reads a part that is no file.
func (f *formReader) text(p *multipart.Part, name string) (string, error) {
	if p.FileName() != "" {
		return "", misfit(name, "is a file")
	}
	data, err := io.ReadAll(io.LimitReader(p, maxFieldSize+1))
	if err != nil {
		return "", cutOff(err)
	}
	if len(data) > maxFieldSize {
		return "", answer.TooLarge(maxFieldSize, fmt.Sprintf("the part %s has more than %d bytes", name, maxFieldSize))
	}
	return string(data), nil
}

// check checks the parameters as a whole.
func (f *formReader) check() error {
	if len(f.call.In) < f.MinIn {
		return misfit(formFiles, fmt.Sprintf("fewer than %d files", f.MinIn))
	}
	return f.fits(f.params, f.call.Params)
}

// misfit says which part of a request does not fit.
func misfit(name, why string) *answer.Error {
	return answer.Invalid(http.StatusUnprocessableEntity, "validation failed", &huma.ErrorDetail{Message: why, Location: "body." + name}).(*answer.Error)
}

func short(s string) string {
	if len(s) > 64 {
		s = s[:64] + "…"
	}
	return s
}

// cutOff is the answer to a body that did not come whole. What this computer
// could not keep stays what it is.
func cutOff(err error) error {
	var there *os.PathError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return answer.Simple(http.StatusRequestTimeout, problem.CodeBadRequest, "the body stopped coming")
	case errors.As(err, &there):
		return err
	}
	return answer.Simple(http.StatusBadRequest, problem.CodeBadRequest, "the body did not come whole: "+err.Error())
}
