//go:build unix

package act

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// TestMain lets the test binary be a browser.
func TestMain(m *testing.M) {
	if log := os.Getenv("FAKE_BROWSER"); log != "" {
		if err := playBrowser(log); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// playBrowser answers as a browser does, with a page that tries what it can when it is
// opened, and writes down what it is asked for.
func playBrowser(log string) error {
	in, out := os.NewFile(3, "in"), os.NewFile(4, "out")
	fd, err := strconv.Atoi(log)
	if err != nil {
		return err
	}
	asked := os.NewFile(uintptr(fd), "asked") // it could open none
	say := func(v string) { fmt.Fprint(out, v, "\x00") }
	event := func(method, params string) {
		say(fmt.Sprintf(`{"method":%q,"params":%s,"sessionId":"S"}`, method, params))
	}
	r := bufio.NewReader(in)
	for {
		b, err := r.ReadBytes(0)
		if err != nil {
			return nil //nolint:nilerr // nobody asks any more
		}
		var m struct {
			ID     int            `json:"id"`
			Method string         `json:"method"`
			Params map[string]any `json:"params"`
		}
		if err := json.Unmarshal(bytes.TrimRight(b, "\x00"), &m); err != nil {
			return err
		}
		params, _ := json.Marshal(m.Params)
		fmt.Fprintf(asked, "%s %s\n", m.Method, params)
		answer := "{}"
		switch m.Method {
		case "Target.createTarget":
			answer = `{"targetId":"T"}`
		case "Target.attachToTarget":
			answer = `{"sessionId":"S"}`
		case "Page.getFrameTree":
			answer = `{"frameTree":{"frame":{"id":"F"}}}`
		case "Page.navigate":
			address := fmt.Sprint(m.Params["url"])
			if _, file, is := strings.Cut(address, "/read?"); is {
				_, err := os.ReadFile(file)
				fmt.Fprintln(asked, "read", file, err == nil)
			}
			if _, file, is := strings.Cut(address, "/write?"); is { // of the test's own directories only
				fmt.Fprintln(asked, "write", file, os.WriteFile(file, nil, 0o600) == nil)
			}
			if strings.HasSuffix(address, "/asks") {
				time.Sleep(500 * time.Millisecond)
			}
			switch {
			case strings.HasSuffix(address, "/none"):
				answer = `{"errorText":"net::ERR_CONNECTION_REFUSED"}`
			case strings.HasSuffix(address, "/file"):
				answer = `{"errorText":"net::ERR_ABORTED"}`
			case strings.HasSuffix(address, "/crash"):
				event("Inspector.targetCrashed", "{}")
			case strings.HasSuffix(address, "/end"):
				return nil
			case strings.HasSuffix(address, "/nonsense"):
				say("no JSON")
			default:
				event("Page.frameStartedLoading", `{"frameId":"F"}`)
				event("Page.javascriptDialogOpening", `{"message":"infected"}`)
				event("Target.targetCreated", `{"targetInfo":{"targetId":"P","type":"page"}}`)
				event("Target.targetCreated", `{"targetInfo":{"targetId":"T","type":"page"}}`)
				event("Page.frameStartedLoading", `{"frameId":"other"}`)
				event("Page.frameStoppedLoading", `{"frameId":"F"}`)
				event("Page.lifecycleEvent", `{"frameId":"F","name":"networkIdle"}`)
			}
		case "Page.createIsolatedWorld":
			answer = `{"executionContextId":7}`
		case "Runtime.evaluate":
			value := `"\"read\""`
			switch e := fmt.Sprint(m.Params["expression"]); {
			case strings.Contains(e, "responseStatus"):
				value = `"200"`
			case strings.Contains(e, "#none"):
				value = `"null"`
			case strings.Contains(e, "getBoundingClientRect"):
				value = `"{\"X\":3,\"Y\":4}"`
			case strings.Contains(e, "e.focus"):
				value = `"true"`
			case strings.Contains(e, "document.title"):
				value = `"{\"URL\":\"http://a/\",\"Title\":\"T\"}"`
			}
			answer = `{"result":{"value":` + value + `}}`
		case "Page.captureScreenshot":
			answer = `{"data":"` + base64.StdEncoding.EncodeToString([]byte("picture")) + `"}`
		case "Page.printToPDF":
			answer = `{"stream":"1"}`
		case "IO.read":
			answer = `{"data":"` + base64.StdEncoding.EncodeToString([]byte("printed")) + `","base64Encoded":true,"eof":true}`
		}
		say(fmt.Sprintf(`{"id":%d,"result":%s}`, m.ID, answer))
	}
}

// playing has visits use that browser, and returns what it was asked for.
func playing(t *testing.T) (asked func() []string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "asked")
	f, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD, 100) // the browser inherits it, under this number
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	t.Setenv("FAKE_BROWSER", strconv.Itoa(fd))
	t.Setenv("TMPDIR", t.TempDir())
	before := browser
	browser = []string{"/proc/self/exe"}
	if exe, err := os.Executable(); err == nil {
		browser = []string{exe}
	}
	t.Cleanup(func() { browser = before })
	return func() []string {
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(b)), "\n")
	}
}

func (w world) visit(steps ...wire.PageStep) wire.ActOrder {
	return wire.ActOrder{Page: &wire.PageParams{ID: "x", Steps: steps, Roots: []string{w.work}, WaitMS: 10_000}}
}

// What is done with a page is done in its order, after the browser was told to keep to
// itself; dialogs are dismissed and other windows closed. Nothing is left.
func TestVisit(t *testing.T) {
	w, asked := newWorld(t), playing(t)
	got := do(t, w.visit(
		wire.PageStep{Do: wire.PageOpen, URL: "http://a/"}, wire.PageStep{Do: wire.PageText}, wire.PageStep{Do: wire.PageText, Selector: "#none", Optional: true},
		wire.PageStep{Do: wire.PageType, Selector: `a"b`, Text: "typed"}, wire.PageStep{Do: wire.PageClick, Selector: "b"},
		wire.PageStep{Do: wire.PageScreenshot, Into: w.work + "/a.png"}, wire.PageStep{Do: wire.PagePDF, Into: w.work + "/a.pdf"},
		wire.PageStep{Do: wire.PageOpen, URL: "http://a/none", Optional: true}, wire.PageStep{Do: wire.PageOpen, URL: "http://a/file", Optional: true},
	), "")
	if got.Page == nil || got.Page.URL != "http://a/" || got.Page.Title != "T" {
		t.Fatalf("%+v %+v %s", got.Page, got.Failed, got.words)
	}
	r := got.Page.Steps
	if r[1].Text != "read" || r[2].Failed != wire.ActMissing || r[7].Failed != wire.ActUnreachable || r[8].Failed != wire.ActFailed || w.has(t, "work/a.png") != "picture" || w.has(t, "work/a.pdf") != "printed" {
		t.Errorf("%+v", r)
	}
	all := asked()
	at := func(prefix string) int {
		return slices.IndexFunc(all, func(s string) bool { return strings.HasPrefix(s, prefix) })
	}
	opened := at("Page.navigate")
	for _, first := range []string{`Browser.setDownloadBehavior {"behavior":"deny"}`, "Target.setDiscoverTargets", "Network.setBlockedURLs"} {
		if i := at(first); i < 0 || i > opened {
			t.Errorf("%s comes at %d, and the page at %d", first, i, opened)
		}
	}
	for _, then := range []string{`Page.handleJavaScriptDialog {"accept":false}`, `Target.closeTarget {"targetId":"P"}`, `Input.insertText {"text":"typed"}`, "Input.dispatchMouseEvent"} {
		if at(then) < opened {
			t.Errorf("%s is not asked for: %q", then, all)
		}
	}
	if at(`Target.closeTarget {"targetId":"T"}`) >= 0 {
		t.Error("the page itself is closed")
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}

// A browser, or a page, that ends is the end of the visit, also in an optional step; so is
// what a step cannot do.
func TestVisitEnds(t *testing.T) {
	for address, code := range map[string]string{"/end": wire.ActFailed, "/nonsense": wire.ActFailed, "/crash": wire.ActFailed, "/none": wire.ActUnreachable, "/file": wire.ActKind} {
		w, _ := newWorld(t), playing(t)
		optional := code == wire.ActFailed
		got := do(t, w.visit(wire.PageStep{Do: wire.PageOpen, URL: "http://a" + address, Optional: optional}, wire.PageStep{Do: wire.PageText}), "")
		if got.Failed == nil || got.Failed.Code != code {
			t.Errorf("%s: %+v %+v", address, got.Page, got.Failed)
		}
	}
	w := newWorld(t)
	defer func(before []string) { browser = before }(browser)
	browser = []string{"no-such-browser"}
	if got := do(t, w.visit(wire.PageStep{Do: wire.PageOpen, URL: "http://a/"}), ""); got.Failed == nil || got.Failed.Code != wire.ActNoProgram {
		t.Errorf("%+v", got.Failed)
	}
	playing(t)
	if got := do(t, w.visit(wire.PageStep{Do: wire.PageOpen, URL: "http://a/"}, wire.PageStep{Do: wire.PageText, Selector: "#none"}), ""); got.Failed == nil || got.Failed.Code != wire.ActNoElement {
		t.Errorf("%+v", got.Failed)
	}
	if got := do(t, w.visit(wire.PageStep{Do: wire.PageOpen, URL: "http://a/"}, wire.PageStep{Do: wire.PagePDF, Into: w.secret + "/a.pdf"}), ""); got.Failed == nil || got.Failed.Code != wire.ActOutside {
		t.Errorf("%+v", got.Failed)
	}
}

// However short a page may load, its host has the time in which a person answers about it.
func TestAVisitWaitsForAnAnswer(t *testing.T) {
	w, _ := newWorld(t), playing(t)
	o := w.visit(wire.PageStep{Do: wire.PageOpen, URL: "http://a/asks"})
	o.Page.WaitMS = 100
	if got := do(t, o, ""); got.Page == nil {
		t.Errorf("%+v", got.Failed)
	}
}

// What opens no page of the web is refused before there is a browser.
func TestHostileVisits(t *testing.T) {
	w := newWorld(t)
	for _, address := range []string{"file:///etc/passwd", "chrome://version", "javascript:alert(1)", "data:text/html,x", "view-source:http://a", "about:blank", "http://", "http://user:pw@a/", "ftp://a/", "//a", "/x"} {
		for _, order := range []string{`{"page":{"id":"x","roots":[%q],"waitMs":1,"steps":[{"do":"open","url":%q}]}}`, `{"fetch":{"id":"x","roots":[%q],"limit":1,"stallMs":1,"url":%q}}`} {
			var out bytes.Buffer
			if code := Main(t.Context(), strings.NewReader(fmt.Sprintf(order, w.work, address)+"\n"), &out, io.Discard); code == 0 || out.Len() > 0 {
				t.Errorf("%s: %d %s", address, code, out.String())
			}
		}
	}
}

// A fetch follows redirects within the web, says nothing of where it comes from, and is
// bounded.
func TestFetch(t *testing.T) {
	w := newWorld(t)
	quit := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if len(r.Cookies()) > 0 || r.Referer() != "" {
			t.Errorf("%+v", r.Header)
		}
		http.SetCookie(rw, &http.Cookie{Name: "a", Value: "b"})
		switch r.URL.Path {
		case "/":
			rw.Header().Set("Content-Type", "text/csv; charset=utf-8")
			fmt.Fprint(rw, "a,b\n")
		case "/slow", "/slower":
			time.Sleep(1500 * time.Millisecond)
			http.Redirect(rw, r, map[string]string{"/slow": "/slower", "/slower": "/"}[r.URL.Path], http.StatusFound)
		case "/to":
			http.Redirect(rw, r, "/", http.StatusFound)
		case "/loop":
			http.Redirect(rw, r, "/loop", http.StatusFound)
		case "/to-file":
			rw.Header().Set("Location", "file:///etc/passwd")
			rw.WriteHeader(http.StatusFound)
		case "/to-user":
			rw.Header().Set("Location", "http://a:b@"+r.Host+"/")
			rw.WriteHeader(http.StatusFound)
		case "/gone":
			http.NotFound(rw, r)
		case "/large":
			_, _ = rw.Write(bytes.Repeat([]byte("x"), 1001))
		case "/bomb":
			rw.Header().Set("Content-Encoding", "gzip")
			_, _ = rw.Write([]byte("\x1f\x8b")) // and no more of it
		case "/silent":
			rw.(http.Flusher).Flush()
			<-quit
		}
	}))
	defer s.Close()
	defer close(quit)
	for _, tt := range []struct {
		path, into, code, data string
		status                 int
	}{
		{"/", "", "", "a,b\n", 200},
		{"/to", "", "", "a,b\n", 200},
		{"/to", "work/a.csv", "", "", 200},
		{"/slow", "", "", "a,b\n", 200},
		{"/to", "folders/Letters/a.txt", "", "", 200},
		{"/gone", "", "", "404 page not found\n", 404},
		{"/loop", "", wire.ActUnreachable, "", 0},
		{"/to-file", "", wire.ActUnreachable, "", 0},
		{"/to-user", "", wire.ActUnreachable, "", 0},
		{"/large", "", wire.ActTooLarge, "", 0},
		{"/large", "work/b", wire.ActTooLarge, "", 0},
		{"/bomb", "", wire.ActUnreachable, "", 0},
		{"/silent", "", wire.ActUnreachable, "", 0},
		{"/", "secret/key", wire.ActOutside, "", 0},
		{"/", "folders/Letters", wire.ActKind, "", 0},
	} {
		p := wire.FetchParams{ID: "x", URL: s.URL + tt.path, Roots: []string{w.work, w.folders}, Limit: 1000, StallMS: 20_000}
		switch tt.path {
		case "/silent":
			p.StallMS = 20
		case "/slow":
			p.StallMS = 2500 // each redirect may take so long
		}
		if tt.into != "" {
			p.Into = filepath.Join(w.base, tt.into)
		}
		got := do(t, wire.ActOrder{Fetch: &p}, "")
		switch {
		case tt.code != "":
			if got.Failed == nil || got.Failed.Code != tt.code {
				t.Errorf("%s into %q: %+v %+v", tt.path, tt.into, got.Fetch, got.Failed)
			}
		case got.Fetch == nil || got.Fetch.Status != tt.status || got.data != tt.data:
			t.Errorf("%s into %q: %+v %+v %q", tt.path, tt.into, got.Fetch, got.Failed, got.data)
		case tt.into != "" && (w.has(t, tt.into) != "a,b\n" || got.Fetch.Info.SHA256 != sum("a,b\n") || got.Fetch.Type != "text/csv"):
			t.Errorf("%q: %+v", w.has(t, tt.into), got.Fetch)
		}
	}
	if w.has(t, "secret/key") != "top secret" {
		t.Error("it was written to")
	}
	// A file keeps its permissions, and its content where the server has an error to say.
	w.put(t, "work/mine", "mine")
	if err := os.Chmod(w.work+"/mine", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, has string
		status    int
	}{{"/gone", "mine", 404}, {"/", "a,b\n", 200}} {
		got := do(t, wire.ActOrder{Fetch: &wire.FetchParams{ID: "x", URL: s.URL + tt.path, Into: w.work + "/mine", Roots: []string{w.work}, Limit: 1000, StallMS: 20_000}}, "")
		if info, err := os.Stat(w.work + "/mine"); err != nil || info.Mode().Perm() != 0o600 || w.has(t, "work/mine") != tt.has {
			t.Errorf("%s: %v %v %q", tt.path, info.Mode(), err, w.has(t, "work/mine"))
		}
		if got.Fetch == nil || got.Fetch.Status != tt.status || (got.Fetch.Info != nil) != (tt.status == 200) || got.Fetch.Validate() != nil {
			t.Errorf("%s: %+v %+v", tt.path, got.Fetch, got.Failed)
		}
	}
	if left, err := filepath.Glob(w.work + "/.piwork-*"); err != nil || len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// What takes long between two parts of what a server sends is not its fault.
func TestOnlyAServerStalls(t *testing.T) {
	for name, slow := range map[string]bool{"whoever reads": false, "the server": true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stall := time.AfterFunc(time.Hour, cancel)
		r := &patient{&meanwhile{strings.NewReader("ab"), func() {
			if slow {
				<-ctx.Done()
			}
		}}, stall, 50 * time.Millisecond}
		one := make([]byte, 1)
		_, _ = r.Read(one)
		time.Sleep(200 * time.Millisecond)
		_, _ = r.Read(one)
		if stalled := ctx.Err() != nil; stalled != slow || one[0] != 'b' {
			t.Errorf("%s: stalled %v", name, stalled)
		}
	}
}
