package toolroute

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"piwork/app/api/answer"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/toolcall"
)

// toolAnswer is what a task of an operation ended with. What the guest says is
// taken only as the types of the operation have it.
func (s *Server) toolAnswer(ctx context.Context, run *request, rec task.Task) (Answer, error) {
	view := toolcall.ViewOf(rec, run.call.Upload != nil)
	switch {
	case rec.State == task.StateDone:
	case rec.Error != nil:
		return Answer{}, hostProblem(view, *rec.Error)
	default:
		return Answer{}, problem.New(problem.CodeCancelled)
	}
	out := Answer{
		Task: rec.ID, Operation: run.Name, Files: []File{}, Problems: []problem.Problem{},
		Versions: s.toolVersions(ctx, rec.Pack, run.Programs),
	}
	maps.Copy(out.Versions, rec.Versions) // also of add-ons
	for i, f := range rec.Results {
		name := path.Base(f.Path)
		file := File{Name: name, Size: f.Size, SHA256: f.SHA256, Type: mediaType(name), URL: taskURL(rec.ID) + "/results/" + strconv.Itoa(i)}
		for _, folder := range rec.Folders {
			if f.Folder != "" && folder.ID == f.Folder {
				file.Path = filepath.Join(folder.Path, filepath.FromSlash(f.Path))
			}
		}
		out.Files = append(out.Files, file)
	}
	for _, p := range rec.Problems {
		out.Problems = append(out.Problems, *hostProblem(view, p))
	}
	var odd error
	out.Info, odd = run.typedInfo(view, rec.Info)
	if odd != nil {
		p := problem.New(problem.CodeToolFailed).Because(odd)
		p.Severity = problem.Warning
		out.Problems = append(out.Problems, *p)
	}
	return out, nil
}

// hostProblem is a problem that names a file as the caller does.
func hostProblem(view toolcall.View, p problem.Problem) *problem.Problem {
	out := p.Clone()
	if s, isText := out.Params["path"].(string); isText {
		out.Params["path"] = view.Host(s)
	}
	if out.Fix == nil {
		out.Fix = []problem.Fix{}
	}
	return out
}

// typedInfo are the reports as the document has them. One that is not like that
// is left out, and is the error.
func (t *route) typedInfo(view toolcall.View, info []any) ([]any, error) {
	out := []any{}
	var odd error
	for i, v := range info {
		if t.info == nil {
			return out, fmt.Errorf("%s reports nothing, and did", t.Name)
		}
		report := reflect.New(t.info)
		data, err := json.Marshal(v)
		if err == nil {
			var plain any // whatever the service made of it: objects as JSON has them
			if err = json.Unmarshal(data, &plain); err == nil {
				data, err = json.Marshal(view.HostValue(plain))
			}
		}
		if err == nil {
			err = json.Unmarshal(data, report.Interface())
		}
		if err != nil {
			odd = fmt.Errorf("report %d of %s: %w", i+1, t.Name, err)
			continue
		}
		out = append(out, report.Elem().Interface())
	}
	return out, odd
}

// toolVersions are those of programs in a version of the pack. What is not known
// is left out.
func (s *Server) toolVersions(ctx context.Context, version string, programs []string) map[string]string {
	known, _ := s.versions.Load(version)
	if known == nil {
		packs, err := s.Service.Packs(ctx)
		if err != nil {
			s.Log.Warn("api: versions of tools are not known", "request", task.RequestID(ctx), "error", err)
		}
		all := map[string]string{}
		for _, p := range packs {
			if p.Version == version && p.Problem == nil {
				for _, t := range p.Tools {
					all[t.Name] = t.Version
				}
				known, _ = s.versions.LoadOrStore(version, all)
			}
		}
	}
	out := map[string]string{}
	all, _ := known.(map[string]string)
	for _, name := range programs {
		if v, is := all[name]; is {
			out[name] = v
		}
	}
	return out
}

// answerFile answers with the only file that was made.
func (s *Server) answerFile(w http.ResponseWriter, r *http.Request, made Answer) error {
	f, _, err := s.Service.OpenResult(r.Context(), made.Task, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	w.Header().Set("Location", taskURL(made.Task))
	for _, about := range []string{"Range", "If-Range", "If-Match"} { // a resource that is there; this one was made now
		r.Header.Del(about)
	}
	kind := made.Files[0].Type
	if kind == mediaTypes["json"] { // that is what an answer has which is no file
		kind = "application/octet-stream"
	}
	answer.ServeFile(w, r, f, kind, "attachment", made.Files[0].Name, "")
	return nil
}

// answerJSON answers about a task. What goes wrong while it is written cannot be
// said any more.
func answerJSON(w http.ResponseWriter, r *http.Request, status int, id string, v any) error {
	w.Header().Set("Location", taskURL(id))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = answer.WriteJSON(w, answer.InWords(answer.Language(r.Context()), v))
	return nil
}

// mediaTypes of what operations make, by suffix: the same on every computer.
var mediaTypes = map[string]string{
	"pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
	"tif": "image/tiff", "tiff": "image/tiff", "svg": "image/svg+xml",
	"txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8", "csv": "text/csv; charset=utf-8",
	"tsv": "text/tab-separated-values; charset=utf-8", "json": "application/json", "rtf": "application/rtf", "plist": "application/x-plist",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "odt": "application/vnd.oasis.opendocument.text",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"zip":  "application/zip", "tar": "application/x-tar", "gz": "application/gzip", "zst": "application/zstd",
	"mp3": "audio/mpeg", "m4a": "audio/mp4", "opus": "audio/ogg", "ogg": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav",
	"mid": "audio/midi", "midi": "audio/midi",
}

// mediaType is that of a result by its name.
func mediaType(name string) string {
	if t := mediaTypes[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]; t != "" {
		return t
	}
	return "application/octet-stream"
}
