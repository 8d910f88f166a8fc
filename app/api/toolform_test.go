package api_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/problem"
	"piwork/app/task"
)

// part is one of a form.
type part struct{ name, file, data string }

// form makes the body of a request and its type.
func form(t *testing.T, parts ...part) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		var to io.Writer
		var err error
		if p.file != "" {
			to, err = w.CreateFormFile(p.name, p.file)
		} else {
			to, err = w.CreateFormField(p.name)
		}
		if err == nil {
			_, err = io.WriteString(to, p.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// The bytes of what is made of files that are brought, or JSON where that is asked
// for or needed.
func TestToolForm(t *testing.T) {
	_, uploads := place(t)
	one := apitest.ResultFile{Result: task.Result{Path: "ä.html", Size: 6, SHA256: "00"}, Data: []byte("<html>")}
	table := apitest.ResultFile{Result: task.Result{Path: "table.json", Size: 6, SHA256: "00"}, Data: []byte("<html>")}
	body, kind := form(t, part{"format", "", "pdf"}, part{"in", "../../evil.jpg", "1"}, part{"in", `C:\x\evil.jpg`, "2"}, part{"names", "", "a"}, part{"names", "", "b"}, part{"out", "", "mine"})
	plain, plainKind := form(t, part{"in", "a.jpg", "1"}, part{"format", "", "png"}, part{"quality", "", "70"}, part{"replace", "", "true"})
	for _, tt := range []struct {
		name       string
		f          *apitest.Fake
		accept     string
		body, kind string
		json       bool
	}{
		{"one file", apitest.New(apitest.Script{Results: []apitest.ResultFile{one}}), "", plain, plainKind, false},
		{"one file, of any type", apitest.New(apitest.Script{Results: []apitest.ResultFile{one}}), "*/*", plain, plainKind, false},
		{"one file, as JSON", apitest.New(apitest.Script{Results: []apitest.ResultFile{one}}), "text/html;q=0.1, application/json", plain, plainKind, true},
		{"one file that is JSON itself", apitest.New(apitest.Script{Results: []apitest.ResultFile{table}}), "", plain, plainKind, false},
		{"two files", apitest.New(apitest.Script{Results: []apitest.ResultFile{one, one}}), "", plain, plainKind, true},
		{"nothing", apitest.New(apitest.Script{}), "", plain, plainKind, true},
		{"not everything", apitest.New(apitest.Script{Results: []apitest.ResultFile{one}, Problems: []problem.Problem{*problem.New(problem.CodeInputBroken)}}), "", plain, plainKind, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.f.UploadDir = uploads
			h := newAPI(t, tt.f, api.Options{}).Handler()
			tools := ask(t, h, "GET", "/v1/tools", "").Header.Get("ETag") // what conditions are about; the answer is another thing
			res := ask(t, h, "POST", convert, tt.body, "Content-Type", tt.kind, "Accept", tt.accept, "Range", "bytes=2-", "If-Match", tools)
			if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Location"), "/v1/tasks/") {
				t.Fatalf("%d %s", res.StatusCode, res.raw)
			}
			if got := res.Header.Get("Content-Type") == "application/json"; got != tt.json {
				t.Errorf("%s %s", res.Header.Get("Content-Type"), res.raw)
			}
			if !tt.json && (string(res.raw) != "<html>" || !strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment") ||
				!strings.Contains(res.Header.Get("Content-Security-Policy"), "sandbox") || res.Header.Get("X-Content-Type-Options") != "nosniff") {
				t.Errorf("%s %v", res.raw, res.Header)
			}
			empty(t, uploads)
		})
	}
	f := apitest.New(apitest.Script{UploadDir: uploads})
	res := ask(t, newAPI(t, f, api.Options{}).Handler(), "POST", convert, body, "Content-Type", kind)
	if res.StatusCode != 422 || res.body["code"] != problem.CodeBadRequest { // names and a format that makes one file
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
	body, kind = form(t, part{"format", "", "png"}, part{"in", "../../evil.jpg", "1"}, part{"in", `C:\x\evil.jpg`, "2"}, part{"names", "", "a"}, part{"names", "", "b"}, part{"out", "", "mine"})
	if res := ask(t, newAPI(t, f, api.Options{}).Handler(), "POST", convert, body, "Content-Type", kind); res.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", res.StatusCode, res.raw)
	}
	asked := f.Started()[0].Tool
	if got := strings.Join(append(asked.In, asked.Out), " "); got != "/folders/files/evil.jpg /folders/files/evil (2).jpg /work/out/mine" {
		t.Errorf("asked for %s", got)
	}
	empty(t, uploads)
}

// Forms that are wrong or hostile: refused, and nothing of them is left.
func TestToolFormRefuses(t *testing.T) {
	_, uploads := place(t)
	file := part{"in", "a.jpg", "x"}
	pdf := part{"format", "", "pdf"}
	for _, tt := range []struct {
		name, path string
		parts      []part
		status     int
		where      string
	}{
		{"no files", convert, []part{pdf}, 422, "body.in"},
		{"nothing", convert, nil, 422, "body.in"},
		{"a file without a name", convert, []part{pdf, {"in", "", "x"}}, 422, "body.in"},
		{"a parameter is missing", convert, []part{file}, 422, "body"},
		{"a parameter of a wrong type", convert, []part{file, pdf, {"quality", "", "high"}}, 422, "body.quality"},
		{"a number beyond all numbers", convert, []part{file, pdf, {"quality", "", "99999999999999999999"}}, 422, "body.quality"},
		{"neither true nor false", convert, []part{file, pdf, {"replace", "", "yes"}}, 422, "body.replace"},
		{"not one of the choices", convert, []part{file, {"format", "", "exe"}}, 422, "body.format"},
		{"no such parameter", convert, []part{file, pdf, {"colour", "", "red"}}, 422, "body.colour"},
		{"a part without a name", convert, []part{file, pdf, {"", "", "red"}}, 422, "body."},
		{"a parameter twice", convert, []part{file, pdf, pdf}, 422, "body.format"},
		{"two names of the result", convert, []part{file, pdf, {"out", "", "a"}, {"out", "", "b"}}, 422, "body.out"},
		{"a way out as name of the result", convert, []part{file, pdf, {"out", "", "../../x"}}, 422, "body.out"},
		{"NUL in the name of the result", convert, []part{file, pdf, {"out", "", "a\x00"}}, 422, "body.out"},
		{"a long name of the result", convert, []part{file, pdf, {"out", "", strings.Repeat("x", 256)}}, 422, "body.out"},
		{"a result where none is", "/v1/tools/image.info", []part{file, {"out", "", "a"}}, 422, "body.out"},
		{"a file as parameter", convert, []part{file, {"format", "pdf", "pdf"}}, 422, "body.format"},
		{"a large parameter", convert, []part{file, {"format", "", strings.Repeat("x", 1<<20)}}, 413, ""},
		{"more files than may be", "/v1/tools/archive.extract", []part{file, file}, 422, "body.in"},
		{"thousands of files", convert, slices.Repeat([]part{file}, 1001), 422, "body.in"},
		{"thousands of parts", convert, slices.Repeat([]part{{"names", "", "a"}}, 2001), 422, "body.names"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := apitest.New(apitest.Script{UploadDir: uploads})
			body, kind := form(t, tt.parts...)
			res := ask(t, newAPI(t, f, api.Options{}).Handler(), "POST", tt.path, body, "Content-Type", kind)
			refused(t, f, res, tt.status, tt.where)
			empty(t, uploads)
		})
	}
	body, kind := form(t, file, pdf)
	boundary := kind[strings.Index(kind, "=")+1:]
	for name, raw := range map[string]struct{ kind, body string }{
		"no boundary":         {"multipart/form-data", body},
		"another boundary":    {"multipart/form-data; boundary=zzz", body},
		"cut in a file":       {kind, body[:len(body)/3]},
		"cut before the end":  {kind, strings.TrimSuffix(body, "--\r\n")},
		"cut in a header":     {kind, "--" + boundary + "\r\nContent-Disposition: form-da"},
		"headers without end": {kind, "--" + boundary + "\r\n" + strings.Repeat("X-Y: "+strings.Repeat("z", 1000)+"\r\n", 20_000)},
		"many headers":        {kind, "--" + boundary + "\r\n" + strings.Repeat("X: y\r\n", 100_000) + "\r\n\r\n--" + boundary + "--\r\n"},
		"more after the end":  {kind, body + strings.Repeat("x", 1<<20)},
		"nothing at all":      {kind, ""},
	} {
		f := apitest.New(apitest.Script{UploadDir: uploads})
		res := ask(t, newAPI(t, f, api.Options{}).Handler(), "POST", convert, raw.body, "Content-Type", raw.kind)
		if t.Run(name, func(t *testing.T) { refused(t, f, res, 400, "") }) {
			empty(t, uploads)
		}
	}
	// A way in without uploads says so.
	f := apitest.New(apitest.Script{})
	refused(t, f, ask(t, newAPI(t, f, api.Options{}).Handler(), "POST", convert, body, "Content-Type", kind), 400, "")
}

// A sender that goes away in the middle, or while the operation works, leaves
// nothing behind.
func TestToolCallerGone(t *testing.T) {
	_, uploads := place(t)
	f := apitest.New(apitest.Script{UploadDir: uploads, Endless: true})
	srv := httptest.NewServer(newAPI(t, f, api.Options{}).Handler())
	defer srv.Close()
	body, kind := form(t, part{"in", "a.jpg", strings.Repeat("x", 1<<20)}, part{"format", "", "pdf"})
	send := func(n int) net.Conn {
		t.Helper()
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", convert, kind, len(body))
		if _, err := io.WriteString(c, head+body[:n]); err != nil {
			t.Fatal(err)
		}
		return c
	}
	there := func() bool { list, _ := os.ReadDir(uploads); return len(list) == 1 }
	gone := func() bool { list, _ := os.ReadDir(uploads); return len(list) == 0 }

	c := send(len(body) / 2)
	await(t, there)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	await(t, gone)
	if len(f.Started()) != 0 {
		t.Error("half a request started something")
	}

	c = send(len(body))
	await(t, func() bool { return len(f.Started()) == 1 && there() })
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	await(t, gone)
	await(t, func() bool {
		all, _ := f.Tasks(t.Context())
		return len(all) == 1 && all[0].State == task.StateCancelled
	})
}

// A sender that stops is not waited for, and one whose headers are huge is not
// listened to.
func TestToolStall(t *testing.T) {
	_, uploads := place(t)
	f := apitest.New(apitest.Script{UploadDir: uploads})
	ln, err := api.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- api.Serve(ctx, ln, newAPI(t, f, api.Options{Stall: 20 * time.Millisecond}).Handler()) }()
	body, kind := form(t, part{"in", "a.jpg", strings.Repeat("x", 1<<16)}, part{"format", "", "pdf"})
	for name, tt := range map[string]struct {
		header, body string
		status       int
	}{
		"a form that stops":  {"Content-Type: " + kind, body[:len(body)/2], http.StatusRequestTimeout},
		"JSON that stops":    {"Content-Type: application/json", "{", http.StatusRequestTimeout},
		"headers beyond end": {strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 200) + "X: y", "", http.StatusRequestHeaderFieldsTooLarge},
	} {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		// The other end may close before it was read.
		_, _ = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n\r\n%s", convert, len(body), tt.header, tt.body)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || res.StatusCode != tt.status {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
		if err == nil {
			_ = res.Body.Close()
		}
		_ = c.Close()
	}
	empty(t, uploads)
	stop()
	if err := <-ended; err != nil || len(f.Started()) != 0 {
		t.Errorf("%v, %d started", err, len(f.Started()))
	}
}
