//go:build vm

package app

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/actions"
	"piwork/app/consent"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// browserOptions are warmOptions with the add-on browser.
func browserOptions(t *testing.T) Options {
	t.Helper()
	tier.Rest(t, "TestSavePage and TestFillTable of app/chore")
	return addOnOptions(t, "browser")
}

// addOnOptions are warmOptions with an add-on, whose store is in the directory that
// PIWORK_TEST_ADDON_STORES names.
func addOnOptions(t *testing.T, name string) Options {
	t.Helper()
	o := warmOptions(t).WithDefaults()
	into := filepath.Join(o.DataDir, runtimepack.AddOnsDir)
	if err := os.MkdirAll(into, 0o700); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(os.Getenv("PIWORK_TEST_ADDON_STORES"), name)
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", "--reflink=auto", store, into).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return o
}

// A page of the web is saved as PDF by the browser of the add-on: a person is asked about
// the host of the page and about another one that it brings things in from, and nothing
// else is reached. Then it is undone.
func TestRealSavePage(t *testing.T) {
	web := newFakeWeb(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "example.org") {
			io.WriteString(w, `<title>Milk</title><h1>Milk is white.</h1><img src="http://ads.example.net/pixel.png">`)
		}
	})
	c := openReal(t, browserOptions(t))
	c.s.network = web.network
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	dir := filepath.Join(t.TempDir(), "Pages")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	started, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindChore, Chore: "save-web-page", Params: map[string]any{"address": "http://example.org/milk"}, Accept: true,
		Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if started.Network != task.NetworkRestricted {
		t.Errorf("its network is %s", started.Network)
	}
	var asked []string
	for limit, over := time.After(10*time.Minute), false; !over; {
		select {
		case e := <-events:
			switch d := e.Data.(type) {
			case vmhost.Question:
				host := fmt.Sprint(d.Text.Params["host"])
				asked = append(asked, host)
				answer := consent.AnswerRequest{Answer: vmhost.AnswerDeny, Scope: vmhost.ScopeTask}
				if host == "example.org" {
					answer.Answer = vmhost.AnswerAllow
				}
				if _, err := c.Answer(t.Context(), e.Task, d.ID, answer); err != nil {
					t.Error(err)
				}
			case task.StateData:
				over = e.Task == started.ID && d.State.Final()
			}
		case <-limit:
			t.Fatalf("asked %q, timeline %s", asked, timelineText(t, c, started.ID))
		}
	}
	end, err := c.Task(t.Context(), started.ID)
	if err != nil || end.State != task.StateDone || len(end.Results) != 1 {
		t.Fatalf("%+v %v %s", end, err, timelineText(t, c, started.ID))
	}
	slices.Sort(asked)
	if got := slices.Compact(asked); !slices.Equal(got, []string{"ads.example.net", "example.org"}) {
		t.Errorf("it asked about %q", got)
	}
	made := filepath.Join(dir, "Web page.pdf")
	if b, err := os.ReadFile(made); err != nil || !strings.HasPrefix(string(b), "%PDF-") {
		t.Errorf("%.20q %v", b, err)
	}
	if r, err := c.Undo(t.Context(), started.ID, history.UndoRequest{}); err != nil || len(r.Undone) != 1 {
		t.Errorf("%+v %v", r, err)
	}
	if _, err := os.Stat(made); !os.IsNotExist(err) {
		t.Errorf("after undo: %v", err)
	}
}

// A table is filled in from two pages by the browser of the add-on; the page of a host that
// was refused leaves its row.
func TestRealFillTable(t *testing.T) {
	web := newFakeWeb(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "<title>Milk</title><table><tr><th>Price</th><td>1.20 €</td></tr></table><dl><dt>Farm</dt><dd>"+r.URL.Path+"</dd></dl>")
	})
	c := openReal(t, browserOptions(t))
	c.s.network = web.network
	for host, answer := range map[string]string{"example.org": vmhost.AnswerAllow, "example.net": vmhost.AnswerDeny} {
		if _, err := c.AddNetworkRule(t.Context(), consent.NetworkRuleRequest{Host: host, Answer: answer}); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "Milk")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "milk.csv"), []byte("No,Page,Price,Farm\n007,http://example.org/one,,\n2,http://example.net/,,\n3,http://example.org/two,2,\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	started, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindChore, Chore: "fill-table", Accept: true, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}},
	})
	if err != nil {
		t.Fatal(err)
	}
	end := ended(t, c, started.ID)
	if end.State != task.StateDone || len(end.Results) != 1 || len(end.Problems) != 1 || end.Problems[0].Code != problem.CodeWebUnreachable {
		t.Fatalf("%+v %s", end, timelineText(t, c, end.ID))
	}
	b, err := os.ReadFile(filepath.Join(dir, "milk (filled in).csv"))
	if want := "No,Page,Price,Farm\n007,http://example.org/one,1.20 €,/one\n2,http://example.net/,,\n3,http://example.org/two,2,/two\n"; err != nil || strings.ReplaceAll(strings.TrimPrefix(string(b), "\uFEFF"), "\r\n", "\n") != want {
		t.Errorf("%q %v", b, err)
	}
}

// Actions from outside in a real machine: files of a folder and of /work, with what is
// expected of them, a watch that hears a program of the task, and the web.
func TestRealActions(t *testing.T) {
	web := newFakeWeb(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/to" {
			http.Redirect(w, r, "http://10.0.0.1/private", http.StatusFound)
			return
		}
		io.WriteString(w, "a,b\n")
	})
	c := openReal(t, warmOptions(t).WithDefaults())
	c.s.network = web.network
	if _, err := c.AddNetworkRule(t.Context(), consent.NetworkRuleRequest{Host: "example.org", Answer: vmhost.AnswerAllow}); err != nil {
		t.Fatal(err)
	}
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	dir := filepath.Join(t.TempDir(), "Letters")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	started, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindExec, Argv: []string{"sh", "-c", "until [ -e /work/go ]; do sleep 0.2; done; echo x > /folders/Letters/made; until [ -e /work/end ]; do sleep 0.2; done"},
		Network: task.NetworkRestricted, Folders: []task.FolderRequest{{Path: dir, Mode: task.ModeReadWrite}}, Detached: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	await := func(s task.State) {
		t.Helper()
		for limit := time.After(10 * time.Minute); ; {
			select {
			case e := <-events:
				if d, is := e.Data.(task.StateData); is && e.Task == started.ID && d.State == s {
					return
				}
			case <-limit:
				t.Fatal(timelineText(t, c, started.ID))
			}
		}
	}
	await(task.StateRunning)
	ctx, id := t.Context(), started.ID
	at := func(p string) actions.StatRequest { return actions.StatRequest{Path: p} }
	write := func(p, data, expect string) (wire.FileInfo, error) {
		return c.WriteFile(ctx, id, actions.WriteRequest{StatRequest: at(p), Data: []byte(data), Expect: expect})
	}
	first, err := write("/folders/Letters/a.txt", "one", "absent")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := write("/folders/Letters/a.txt", "two", "absent"); problem.From(err).Code != problem.CodeFileChanged {
		t.Errorf("it is there already: %v", err)
	}
	if _, err := write("/folders/Letters/a.txt", "two", first.SHA256); err != nil {
		t.Error(err)
	}
	if got, err := c.ReadFile(ctx, id, actions.ReadRequest{StatRequest: at("/folders/Letters/a.txt")}); err != nil || string(got.Data) != "two" {
		t.Errorf("%q %v", got.Data, err)
	}
	if _, err := c.ReadFile(ctx, id, actions.ReadRequest{StatRequest: at("/etc/passwd")}); problem.From(err).Code != problem.CodeFileOutside {
		t.Errorf("outside: %v", err)
	}
	errHeard := errors.New("heard")
	err = c.WatchFiles(ctx, id, actions.WatchRequest{Path: "/folders/Letters", Seconds: 600}, func(f wire.FileChange) error {
		if f.What == wire.ChangeReady {
			_, err := write("/work/go", "", "")
			return err
		}
		if f.Path == "/folders/Letters/made" {
			return errHeard
		}
		return nil
	})
	if !errors.Is(err, errHeard) {
		t.Errorf("the watch hears nothing: %v", err)
	}
	if l, err := c.ListFiles(ctx, id, actions.ListRequest{StatRequest: at("/folders/Letters")}); err != nil || len(l.Entries) != 2 {
		t.Errorf("%+v %v", l, err)
	}
	if f, err := c.Fetch(ctx, id, actions.FetchRequest{URL: "http://example.org/", Into: "/folders/Letters/t.csv"}); err != nil || f.Size != 4 {
		t.Errorf("%+v %v", f, err)
	}
	if _, err := c.Fetch(ctx, id, actions.FetchRequest{URL: "http://example.org/to"}); problem.From(err).Code != problem.CodeWebUnreachable {
		t.Errorf("a redirect to a private address: %v", err)
	}
	if _, err := write("/work/end", "", ""); err != nil {
		t.Error(err)
	}
	await(task.StateDone)
	if r, err := c.Undo(ctx, id, history.UndoRequest{}); err != nil || len(r.Undone) < 3 {
		t.Errorf("%+v %v", r, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}
