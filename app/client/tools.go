package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"piwork/app/api/toolroute"
	"piwork/pack/tools"
)

// ToolRequest are the files and parameters of an operation.
type ToolRequest struct {
	In     []string       `json:"in"`            // absolute paths on the controller's computer
	Out    string         `json:"out,omitempty"` // likewise; "" keeps what is made with the task
	Params map[string]any `json:"params,omitempty"`
}

// ToolFile is a file that is brought to an operation.
type ToolFile struct {
	Name string
	Data io.Reader
}

// Tools lists the operations.
func (c *Client) Tools(ctx context.Context) ([]tools.Description, error) {
	return call[[]tools.Description](ctx, c, "GET /v1/tools", nil, nil)
}

// RunTool runs an operation of the catalogue and waits for its end. It ends with
// ctx. Files that it made are opened with [Client.OpenResult]; the task stays
// listed until it is deleted.
func (c *Client) RunTool(ctx context.Context, op string, r ToolRequest) (toolroute.Answer, error) {
	return call[toolroute.Answer](ctx, c, toolRoute, nil, r, op)
}

// RunToolOn is RunTool on files that are brought, in their order; they are read
// once. name is that of what is made, "" for one after the first file.
func (c *Client) RunToolOn(ctx context.Context, op string, files []ToolFile, name string, params map[string]any) (toolroute.Answer, error) {
	pr, pw := io.Pipe()
	form := multipart.NewWriter(pw)
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = pw.CloseWithError(writeForm(form, files, name, params)) // the reader gets it
	}()
	res, err := c.do(ctx, request{route: toolRoute, path: []any{op}, body: pr, header: http.Header{
		"Content-Type": {form.FormDataContentType()}, "Accept": {"application/json"},
	}})
	_ = pr.CloseWithError(errAnswered)
	<-written
	if err != nil {
		return toolroute.Answer{}, err
	}
	defer res.Body.Close()
	return decode[toolroute.Answer](ctx, res)
}

var errAnswered = errors.New("the answer came before the end of the request")

const toolRoute = "POST /v1/tools/{name}"

// writeForm writes the parameters first: what does not fit is known before the
// files were sent.
func writeForm(w *multipart.Writer, files []ToolFile, name string, params map[string]any) error {
	if name != "" {
		if err := w.WriteField("out", name); err != nil {
			return err
		}
	}
	for k, v := range params {
		list, many := v.([]string)
		if !many {
			list = []string{fmt.Sprint(v)}
		}
		for _, text := range list {
			if err := w.WriteField(k, text); err != nil {
				return err
			}
		}
	}
	for _, f := range files {
		part, err := w.CreateFormFile("in", f.Name)
		if err == nil {
			_, err = io.Copy(part, f.Data)
		}
		if err != nil {
			return fmt.Errorf("send %s: %w", f.Name, err)
		}
	}
	return w.Close()
}
