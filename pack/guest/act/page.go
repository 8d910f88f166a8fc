package act

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"piwork/vmhost/wire"
)

// browser is the program of the add-on "browser".
var browser = []string{"chromium-headless-shell"}

// browserFlags have a browser that remembers nothing, opens nothing and calls nobody by
// itself.
var browserFlags = []string{
	"--headless", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--incognito", "--disable-gpu", "--disable-dev-shm-usage",
	"--disable-extensions", "--disable-sync", "--disable-background-networking", "--disable-component-update", "--disable-domain-reliability",
	"--disable-client-side-phishing-detection", "--disable-default-apps", "--disable-breakpad", "--disable-notifications", "--no-pings", "--mute-audio",
	"--deny-permission-prompts", "--block-new-web-contents", "--hide-scrollbars", "--force-color-profile=srgb", "--disk-cache-size=33554432",
	"--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions",
	"--host-rules=", "--password-store=basic", "--use-mock-keychain",
}

// How long things may take.
const (
	quick      = 30 * time.Second       // what a page cannot hold up for long
	printing   = 2 * time.Minute        // a picture or a PDF
	answers    = 15 * time.Second       // of a page that is busy
	moment     = 5 * time.Second        // what it does at once, or not at all
	question   = 90 * time.Second       // for a host to answer that a person is asked about first, who has a minute (vmhost/network)
	quiet      = 3 * time.Second        // for what comes after a page was loaded
	begins     = 500 * time.Millisecond // for a click to lead to another page
	scriptMS   = 5000                   // of a page's own objects that are read
	viewWidth  = 1280
	viewHeight = 1024
	maxHeight  = 16384 // of a picture
)

// visit is a page that is open.
type visit struct {
	*devtools
	session string // of the page
	target  string
	frame   string
	wait    time.Duration

	loads   int // that began
	loading bool
	idle    bool // nothing comes any more
	crashed bool
}

// page does what is to be done with a page, and says what came of it.
func (s *speaker) page(ctx context.Context, p wire.PageParams) error {
	if err := p.Validate(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "browser-")
	if err != nil {
		return s.failed("", err)
	}
	defer os.RemoveAll(dir)
	argv := append(append([]string{}, browser...), browserFlags...)
	d, err := startBrowser(ctx, dir, append(argv, "--user-data-dir="+dir, "--disk-cache-dir="+filepath.Join(dir, "cache"), "about:blank"))
	if errors.Is(err, exec.ErrNotFound) {
		err = &refusal{code: wire.ActNoProgram, err: err}
	}
	if err != nil {
		return s.failed("", err)
	}
	defer d.close()
	v := &visit{devtools: d, wait: time.Duration(p.WaitMS) * time.Millisecond}
	r := wire.PageResult{Steps: []wire.PageDone{}}
	if err := v.begin(ctx); err != nil {
		return s.failed("", err)
	}
	for _, step := range p.Steps {
		done, err := v.do(ctx, step, p.Roots)
		if err != nil && step.Optional && ctx.Err() == nil && !v.gone() {
			done.Failed, err = softer(failure("", err).Code), nil
		}
		if err != nil {
			return s.failed(step.Into, fmt.Errorf("%s: %w", step.Do, err))
		}
		r.Steps = append(r.Steps, done)
	}
	r.URL, r.Title = v.where(ctx)
	return s.say(wire.ActNews{Page: &r}, nil)
}

// softer is the code of what an optional step could not do.
func softer(code string) string {
	switch code {
	case wire.ActMissing, wire.ActTooLarge, wire.ActUnreachable:
		return code
	case wire.ActNoElement:
		return wire.ActMissing
	}
	return wire.ActFailed
}

// begin finds the page that the browser has, and has it keep to itself.
func (v *visit) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, quick)
	defer cancel()
	var made struct {
		Target string `json:"targetId"`
	}
	if err := v.call(ctx, "", "Target.createTarget", map[string]any{"url": "about:blank", "width": viewWidth, "height": viewHeight}, &made); err != nil {
		return err
	}
	v.target = made.Target
	var joined struct {
		Session string `json:"sessionId"`
	}
	if err := v.call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": v.target, "flatten": true}, &joined); err != nil {
		return err
	}
	v.session = joined.Session
	for _, c := range []struct {
		session, method string
		params          map[string]any
	}{
		{"", "Browser.setDownloadBehavior", map[string]any{"behavior": "deny"}},
		{"", "Target.setDiscoverTargets", map[string]any{"discover": true}},
		{v.session, "Page.enable", nil},
		{v.session, "Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}},
		{v.session, "Inspector.enable", nil},
		{v.session, "Network.enable", map[string]any{"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}},
		{v.session, "Network.setBlockedURLs", map[string]any{"urls": []string{"file://*", "chrome://*", "devtools://*", "view-source:*", "ftp://*"}}},
		{v.session, "Emulation.setDeviceMetricsOverride", map[string]any{"width": viewWidth, "height": viewHeight, "deviceScaleFactor": 1, "mobile": false}},
	} {
		if err := v.call(ctx, c.session, c.method, c.params, nil); err != nil {
			return err
		}
	}
	var tree struct {
		Tree struct {
			Frame struct {
				ID string `json:"id"`
			} `json:"frame"`
		} `json:"frameTree"`
	}
	err := v.call(ctx, v.session, "Page.getFrameTree", nil, &tree)
	v.frame = tree.Tree.Frame.ID
	return err
}

// hear takes what the browser said meanwhile. Dialogs are dismissed, windows closed.
func (v *visit) hear(ctx context.Context) error {
	for _, e := range v.pending() {
		var p struct {
			Frame  string `json:"frameId"`
			Name   string `json:"name"`
			Target struct {
				ID   string `json:"targetId"`
				Type string `json:"type"`
			} `json:"targetInfo"`
		}
		if err := json.Unmarshal(e.Params, &p); err != nil {
			continue
		}
		switch e.Method {
		case "Page.javascriptDialogOpening":
			v.briefly(ctx, v.session, "Page.handleJavaScriptDialog", map[string]any{"accept": false})
		case "Target.targetCreated":
			if p.Target.Type == "page" && p.Target.ID != v.target {
				v.briefly(ctx, "", "Target.closeTarget", map[string]any{"targetId": p.Target.ID})
			}
		case "Page.frameStartedLoading":
			if p.Frame == v.frame {
				v.loads++
				v.loading, v.idle = true, false
			}
		case "Page.frameStoppedLoading":
			if p.Frame == v.frame {
				v.loading = false
			}
		case "Page.lifecycleEvent":
			if p.Frame == v.frame && p.Name == "networkIdle" {
				v.idle = true
			}
		case "Inspector.targetCrashed":
			v.crashed = true
		}
	}
	if v.crashed {
		return errors.New("the page was too much for the browser")
	}
	return nil
}

// gone tells whether there is no page any more.
func (v *visit) gone() bool {
	select {
	case <-v.over:
		return true
	default:
		return v.crashed
	}
}

// briefly has the browser do what a page may not let it.
func (v *visit) briefly(ctx context.Context, session, method string, params map[string]any) {
	ctx, cancel := context.WithTimeout(ctx, moment)
	defer cancel()
	_ = v.call(ctx, session, method, params, nil)
}

// until hears what the browser says until something is so, or the time is over.
func (v *visit) until(ctx context.Context, most time.Duration, so func() bool) (bool, error) {
	late := time.NewTimer(most)
	defer late.Stop()
	for {
		if err := v.hear(ctx); err != nil || so() {
			return err == nil, err
		}
		select {
		case <-v.news:
		case <-late.C:
			return false, nil
		case <-v.over:
			return false, v.err
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// asked is call for a page that may show dialogs meanwhile, which are dismissed.
func (v *visit) asked(ctx context.Context, most time.Duration, method string, params map[string]any, result any) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- v.call(ctx, v.session, method, params, result) }()
	for {
		if err := v.hear(ctx); err != nil {
			cancel()
			return errors.Join(err, <-answer)
		}
		select {
		case err := <-answer:
			return err
		case <-v.news:
		}
	}
}

// loaded waits until a page came, and a moment for what it brings in by itself. A page that
// goes on is stopped.
func (v *visit) loaded(ctx context.Context) (cut bool, err error) {
	ok, err := v.until(ctx, v.wait, func() bool { return !v.loading })
	if err != nil {
		return false, err
	}
	if !ok {
		v.briefly(ctx, v.session, "Page.stopLoading", nil)
		return true, nil
	}
	_, err = v.until(ctx, min(quiet, v.wait), func() bool { return v.idle })
	return false, err
}

// do does one step.
func (v *visit) do(ctx context.Context, s wire.PageStep, roots []string) (done wire.PageDone, err error) {
	switch s.Do {
	case wire.PageOpen:
		done.Cut, err = v.open(ctx, s.URL)
	case wire.PageClick:
		done.Cut, err = v.click(ctx, s.Selector)
	case wire.PageType:
		err = v.enter(ctx, s.Selector, s.Text)
	case wire.PageText:
		done.Text, done.Cut, err = v.read(ctx, s.Selector)
	case wire.PageScreenshot:
		done.File, err = v.keep(s.Into, roots, func() (io.Reader, error) { return v.picture(ctx) })
	case wire.PagePDF:
		done.File, err = v.keep(s.Into, roots, func() (io.Reader, error) { return v.print(ctx) })
	}
	return done, err
}

func (v *visit) open(ctx context.Context, address string) (cut bool, err error) {
	var r struct {
		Error string `json:"errorText"`
	}
	before := v.loads
	if err := v.asked(ctx, max(v.wait, question), "Page.navigate", map[string]any{"url": address}, &r); err != nil {
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return false, &refusal{code: wire.ActUnreachable, err: err}
		}
		return false, err
	}
	switch {
	case r.Error == "net::ERR_ABORTED":
		return false, refuse(wire.ActKind, "%.200s is no page", address)
	case r.Error != "":
		return false, refuse(wire.ActUnreachable, "%.200s: %s", address, wire.Short(r.Error))
	}
	if _, err := v.until(ctx, begins, func() bool { return v.loads > before }); err != nil {
		return false, err
	}
	if cut, err = v.loaded(ctx); err != nil {
		return cut, err
	}
	var status int
	if err := v.evaluate(ctx, `(performance.getEntriesByType("navigation")[0] || {}).responseStatus || 0`, &status); err == nil && status >= 400 {
		return cut, refuse(wire.ActUnreachable, "%.200s: status %d", address, status)
	}
	return cut, nil
}

// evaluate asks something of the page, in a world of its own: what the page did to its
// objects is not there. Wherever a page leads, it is the web.
func (v *visit) evaluate(ctx context.Context, expression string, result any) error {
	var world struct {
		Context int `json:"executionContextId"`
	}
	if err := v.asked(ctx, answers, "Page.createIsolatedWorld", map[string]any{"frameId": v.frame, "worldName": "piwork"}, &world); err != nil {
		return err
	}
	expression = `(() => { if (!/^(https?:|about:)/.test(location.href)) throw new Error("not the web"); return JSON.stringify(` + expression + `) })()`
	var r struct {
		Result struct {
			Value *string `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	err := v.asked(ctx, answers, "Runtime.evaluate", map[string]any{"expression": expression, "contextId": world.Context, "returnByValue": true, "timeout": scriptMS}, &r)
	switch {
	case err != nil:
		return err
	case r.Exception != nil:
		return fmt.Errorf("the page: %s", wire.Short(r.Exception.Text))
	case r.Result.Value == nil:
		return errors.New("the page has no answer")
	}
	return json.Unmarshal([]byte(*r.Result.Value), result)
}

// quoted is a text as JavaScript has it.
func quoted(s string) string {
	b, _ := json.Marshal(s) //nolint:errchkjson // a string always is
	return string(b)
}

// found is an expression with the element of a selector as e, "" for the page; null without.
func found(selector, expression string) string {
	at := "document.body"
	if selector != "" {
		at = "document.querySelector(" + quoted(selector) + ")"
	}
	return "((e) => e ? " + expression + " : null)(" + at + ")"
}

func missing(selector string) error {
	return refuse(wire.ActNoElement, "the page has no %.200s", selector)
}

func (v *visit) click(ctx context.Context, selector string) (cut bool, err error) {
	var at *struct{ X, Y float64 }
	if err := v.evaluate(ctx, found(selector, `(e.scrollIntoView({block: "center"}), ((r) => ({X: r.x + r.width / 2, Y: r.y + r.height / 2}))(e.getBoundingClientRect()))`), &at); err != nil {
		return false, err
	}
	if at == nil {
		return false, missing(selector)
	}
	before := v.loads
	for _, what := range []string{"mousePressed", "mouseReleased"} {
		if err := v.asked(ctx, quick, "Input.dispatchMouseEvent", map[string]any{"type": what, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil); err != nil {
			return false, err
		}
	}
	if began, err := v.until(ctx, begins, func() bool { return v.loads > before }); err != nil || !began {
		return false, err
	}
	return v.loaded(ctx)
}

func (v *visit) enter(ctx context.Context, selector, text string) error {
	var is *bool
	if err := v.evaluate(ctx, found(selector, `(e.focus(), e.select && e.select(), true)`), &is); err != nil {
		return err
	}
	if is == nil {
		return missing(selector)
	}
	return v.asked(ctx, quick, "Input.insertText", map[string]any{"text": text}, nil)
}

func (v *visit) read(ctx context.Context, selector string) (string, bool, error) {
	var text *string
	if err := v.evaluate(ctx, found(selector, fmt.Sprintf(`String(typeof e.value === "string" ? e.value : e.innerText ?? e.textContent ?? "").slice(0, %d)`, wire.MaxPageText)), &text); err != nil {
		return "", false, err
	}
	if text == nil {
		return "", false, missing(selector)
	}
	whole := strings.ToValidUTF8(*text, "\uFFFD")
	if len(whole) <= wire.MaxPageText {
		return whole, false, nil
	}
	return strings.ToValidUTF8(whole[:wire.MaxPageText], ""), true, nil
}

// where is the page's address and title, as far as they can be said.
func (v *visit) where(ctx context.Context) (address, title string) {
	var at struct{ URL, Title string }
	if v.evaluate(ctx, `({URL: String(location.href).slice(0, 4096), Title: String(document.title).slice(0, 1024)})`, &at) != nil {
		return "", ""
	}
	return strings.ToValidUTF8(at.URL, ""), strings.ToValidUTF8(at.Title, "")
}

// keep writes what is made of a page to a new file.
func (v *visit) keep(into string, roots []string, make func() (io.Reader, error)) (*wire.FileInfo, error) {
	at, err := open(roots, into)
	if err != nil {
		return nil, err
	}
	defer at.root.Close()
	if _, err := at.expect(wire.FileAbsent); err != nil { // before a page is printed for nothing
		return nil, err
	}
	from, err := make()
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	made, err := at.replace(wire.FileAbsent, io.TeeReader(&moving{r: from, left: wire.MaxPageFile}, h))
	if err == nil {
		made.SHA256 = hex.EncodeToString(h.Sum(nil))
	}
	return made, err
}

// picture is the page as PNG, as far down as a picture goes.
func (v *visit) picture(ctx context.Context) (io.Reader, error) {
	var m struct {
		Size struct{ Width, Height float64 } `json:"cssContentSize"`
	}
	if err := v.asked(ctx, quick, "Page.getLayoutMetrics", nil, &m); err != nil {
		return nil, err
	}
	clip := map[string]any{"x": 0, "y": 0, "width": min(max(m.Size.Width, viewWidth), 2*viewWidth), "height": min(max(m.Size.Height, viewHeight), maxHeight), "scale": 1}
	var r struct {
		Data string `json:"data"`
	}
	err := v.asked(ctx, printing, "Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true, "clip": clip}, &r)
	return base64.NewDecoder(base64.StdEncoding, strings.NewReader(r.Data)), err
}

// print is the page as PDF, on A4.
func (v *visit) print(ctx context.Context) (io.Reader, error) {
	var r struct {
		Stream string `json:"stream"`
	}
	err := v.asked(ctx, printing, "Page.printToPDF", map[string]any{
		"printBackground": true, "transferMode": "ReturnAsStream", "paperWidth": 8.27, "paperHeight": 11.69,
		"marginTop": 0.4, "marginBottom": 0.4, "marginLeft": 0.4, "marginRight": 0.4,
	}, &r)
	if err != nil {
		return nil, err
	}
	return &printed{v: v, ctx: ctx, stream: r.Stream}, nil
}

// printed reads what was printed, piece by piece.
type printed struct {
	v      *visit
	ctx    context.Context //nolint:containedctx // of one Read after the other
	stream string
	piece  []byte
	over   bool
}

func (p *printed) Read(b []byte) (int, error) {
	for len(p.piece) == 0 {
		if p.over {
			return 0, io.EOF
		}
		var r struct {
			Data    string `json:"data"`
			Encoded bool   `json:"base64Encoded"`
			EOF     bool   `json:"eof"`
		}
		if err := p.v.asked(p.ctx, quick, "IO.read", map[string]any{"handle": p.stream, "size": 1 << 20}, &r); err != nil {
			return 0, err
		}
		p.piece, p.over = []byte(r.Data), r.EOF
		if r.Encoded {
			var err error
			if p.piece, err = base64.StdEncoding.DecodeString(r.Data); err != nil {
				return 0, err
			}
		}
	}
	n := copy(b, p.piece)
	p.piece = p.piece[n:]
	return n, nil
}
