//go:build vm && linux

package act

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// useBrowser has the tests work with the browser of this computer, which is that of the
// add-on with a window besides.
func useBrowser(t *testing.T) {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		if p, err := exec.LookPath(name); err == nil {
			browser = []string{p, "--no-sandbox"}
			return
		}
	}
	t.Fatal("no browser is installed: scripts/setup --test")
}

// visitOf is a visit of steps, in the world's work directory.
func (w world) visitOf(steps ...wire.PageStep) wire.ActOrder {
	return wire.ActOrder{Page: &wire.PageParams{ID: "x", Steps: steps, Roots: []string{w.work, w.folders}, WaitMS: 3000}}
}

// A page is opened, filled in, clicked, read, drawn and printed.
func TestPage(t *testing.T) {
	useBrowser(t)
	w := newWorld(t)
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if len(r.Cookies()) > 0 || r.Referer() != "" && r.URL.Path == "/" {
			t.Errorf("%+v", r.Header)
		}
		switch r.URL.Path {
		case "/":
			fmt.Fprint(rw, `<title>Search</title><h1>Hello, wörld</h1><form action="/found"><input name=q value=old><button>Go</button></form>`)
		case "/found":
			fmt.Fprintf(rw, `<title>Found</title><p id=a>You asked for <b>%s</b></p><div style="height:3000px"></div>`, r.FormValue("q"))
		default:
			http.NotFound(rw, r)
		}
	}))
	defer s.Close()
	got := do(t, w.visitOf(
		wire.PageStep{Do: wire.PageOpen, URL: s.URL + "/"}, wire.PageStep{Do: wire.PageText, Selector: "h1"}, wire.PageStep{Do: wire.PageText, Selector: "input"},
		wire.PageStep{Do: wire.PageType, Selector: "input", Text: "blue ü"}, wire.PageStep{Do: wire.PageClick, Selector: "button"}, wire.PageStep{Do: wire.PageText, Selector: "#a"},
		wire.PageStep{Do: wire.PageText, Selector: "#none", Optional: true}, wire.PageStep{Do: wire.PageClick, Selector: "#none", Optional: true},
		wire.PageStep{Do: wire.PageScreenshot, Into: filepath.Join(w.work, "a.png")}, wire.PageStep{Do: wire.PagePDF, Into: filepath.Join(w.folders, "Letters", "a.pdf")},
		wire.PageStep{Do: wire.PageOpen, URL: s.URL + "/none", Optional: true},
	), "")
	if got.Page == nil {
		t.Fatalf("%+v %s", got.Failed, got.words)
	}
	r := got.Page.Steps
	if r[1].Text != "Hello, wörld" || r[2].Text != "old" || r[5].Text != "You asked for blue ü" || r[6].Failed != wire.ActMissing || r[7].Failed != wire.ActMissing || r[10].Failed != wire.ActUnreachable {
		t.Errorf("%+v", r)
	}
	picture, err := png.Decode(strings.NewReader(w.has(t, "work/a.png")))
	if err != nil || picture.Bounds().Dx() != viewWidth || picture.Bounds().Dy() < 3000 {
		t.Errorf("%v", err)
	}
	if pdf := w.has(t, "folders/Letters/a.pdf"); !strings.HasPrefix(pdf, "%PDF-") || r[9].File == nil || r[9].File.Size != int64(len(pdf)) {
		t.Errorf("%.20q %+v", pdf, r[9])
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "browser-*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// Attacks: what a page may try. Each visit ends, with what it could do.
func TestHostilePages(t *testing.T) {
	tier.Rest(t, "TestVisit")
	useBrowser(t)
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("top secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	quit := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		page := func(format string, args ...any) { fmt.Fprintf(rw, "<body>here"+format, args...) }
		switch r.URL.Path {
		case "/endless":
			page("<p>")
			rw.(http.Flusher).Flush()
			<-quit
		case "/endless-script":
			page("<script>for(;;);</script>")
		case "/endless-images":
			page(`<script>setInterval(() => { new Image().src = "/wait?" + Math.random() }, 10)</script>`)
		case "/wait":
			<-quit
		case "/alerts":
			page(`<script>for (let i = 0; i < 20; i++) alert("Your computer is infected"); document.body.append(" after")</script>`)
		case "/prompt":
			page(`<script>document.body.append(String(prompt("Your password?")) + confirm("?"))</script>`)
		case "/leave":
			page(`<script>onbeforeunload = () => "stay"; setInterval(() => alert(1), 1)</script>`)
		case "/download":
			rw.Header().Set("Content-Disposition", "attachment; filename=evil.sh")
			fmt.Fprint(rw, "#!/bin/sh")
		case "/downloads":
			page(`<a id=d href="/download" download>x</a><script>setInterval(() => d.click(), 50)</script>`)
		case "/popups":
			page(`<script>for (let i = 0; i < 50; i++) window.open("/alerts"); document.body.append(" after")</script>`)
		case "/file":
			page(`<iframe src="file://%s"></iframe><script>fetch("file://%[1]s").then(r => r.text()).then(t => document.body.append(t), () => document.body.append(" refused")); location = "file://%[1]s"</script>`, secret)
		case "/chrome":
			page(`<script>location = "chrome://version"</script>`)
		case "/to-file":
			rw.Header().Set("Location", "file://"+secret)
			rw.WriteHeader(http.StatusFound)
		case "/loop":
			http.Redirect(rw, r, "/loop", http.StatusFound)
		case "/forever":
			page(`<script>location = "/forever?" + Math.random()</script>`)
		case "/lies":
			page(`<script>document.querySelector = () => ({innerText: "a lie"}); JSON.stringify = () => "{}"; Object.defineProperty(HTMLElement.prototype, "innerText", {get() { for (;;); }})</script><b>true</b>`)
		case "/huge":
			page(`<script>document.body.style.height = "3000000px"; document.body.append("x".repeat(5 << 20))</script>`)
		case "/many":
			page(`<script>for (let i = 0; i < 300000; i++) document.body.append(document.createElement("p"))</script>`)
		case "/memory":
			page(`<script>let a = []; for (let i = 0; i < 40; i++) a.push(new Uint8Array(1 << 20).fill(i)); document.body.append(" after")</script>`)
		case "/title":
			page(`<script>document.title = "x".repeat(9 << 20)</script>`)
		}
	}))
	defer s.Close()
	defer close(quit)
	for _, tt := range []struct {
		path, want, code string // of the text that is read, or of a failure
	}{
		{"/endless", "here", ""},
		{"/endless-script", "", wire.ActFailed},
		{"/endless-images", "here", ""},
		{"/alerts", "here after", ""},
		{"/prompt", "herenullfalse", ""},
		{"/leave", "here", ""},
		{"/download", "", wire.ActKind},
		{"/downloads", "herex", ""},
		{"/popups", "here after", ""},
		{"/file", "here", ""},
		{"/chrome", "here", ""},
		{"/to-file", "", wire.ActUnreachable},
		{"/loop", "", wire.ActUnreachable},
		{"/lies", "heretrue", ""},
		{"/huge", "here", ""},
		{"/many", "here", ""},
		{"/memory", "here after", ""},
		{"/title", "here", ""},
		{"/forever", "", ""},
	} {
		t.Run(tt.path[1:], func(t *testing.T) {
			w := newWorld(t)
			began := time.Now()
			got := do(t, w.visitOf(
				wire.PageStep{Do: wire.PageOpen, URL: s.URL + tt.path}, wire.PageStep{Do: wire.PageText, Optional: tt.path == "/forever"},
				wire.PageStep{Do: wire.PageScreenshot, Into: filepath.Join(w.work, "a.png"), Optional: true}, wire.PageStep{Do: wire.PagePDF, Into: filepath.Join(w.work, "a.pdf"), Optional: true},
			), "")
			t.Logf("%v", time.Since(began))
			switch {
			case tt.code != "" && (got.Failed == nil || got.Failed.Code != tt.code && got.Failed.Code != wire.ActUnreachable), tt.code == "" && got.Page == nil:
				t.Errorf("%+v %+v %s", got.Page, got.Failed, got.words)
			case tt.code == "" && !strings.HasPrefix(strings.Join(strings.Fields(strings.ReplaceAll(got.Page.Steps[1].Text, "\n", " ")), " "), strings.TrimSpace(tt.want)):
				t.Errorf("%.200q %+v", got.Page.Steps[1].Text, got.Page.Steps)
			}
			for _, name := range []string{"work/a.pdf", "work/a.png"} {
				if bytes.Contains([]byte(w.has(t, name)), []byte("top secret")) {
					t.Errorf("%s has a file of this computer", name)
				}
			}
			if got.Page != nil && strings.Contains(got.Page.Steps[1].Text, "secret") {
				t.Errorf("%s", got.Page.Steps[1].Text)
			}
			if left, err := filepath.Glob(w.work + "/*.sh*"); err != nil || len(left) > 0 {
				t.Errorf("%q was downloaded", left)
			}
		})
	}
}
