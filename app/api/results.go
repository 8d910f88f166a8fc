package api

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/api/answer"
	"piwork/app/task"
)

// resultRef names a result of a task.
type resultRef struct {
	TaskRef
	Index int `path:"index" minimum:"0" maximum:"1000000" doc:"position in the task's results"`
}

// shown are the types that a browser may show by itself. A result was made by
// programs that read hostile files: nothing in it may run as a page of piwork.
var shown = map[string]string{
	".pdf":  "application/pdf",
	".png":  "image/png",
	".jpg":  "image/jpeg",
	".jpeg": "image/jpeg",
	".gif":  "image/gif",
	".webp": "image/webp",
	".txt":  "text/plain; charset=utf-8",
	".csv":  "text/plain; charset=utf-8",
	".md":   "text/plain; charset=utf-8",
}

func (a *API) getResult(ctx context.Context, in *resultRef) (*huma.StreamResponse, error) {
	f, res, err := a.service.OpenResult(ctx, in.ID, in.Index)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer f.Close()
		r, w := humago.Unwrap(hc)
		name := path.Base(res.Path)
		kind, how := shown[strings.ToLower(path.Ext(name))], "inline"
		if kind == "" {
			kind, how = "application/octet-stream", "attachment"
		}
		answer.ServeFile(w, r, f, kind, how, name, versionOf(f, res))
	}}, nil
}

// versionOf tells the bytes of a result from those that its name had or will have: by what the
// record says, and by the file, which a person may have changed since. It is "" where nobody knows.
func versionOf(f io.Reader, res task.Result) string {
	if file, is := f.(interface{ Stat() (fs.FileInfo, error) }); is {
		if info, err := file.Stat(); err == nil {
			return fmt.Sprint(res.SHA256, info.Size(), info.ModTime().UnixNano())
		}
	}
	return res.SHA256
}
