package upkeep

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/google/uuid"

	"piwork/app/audit"
	"piwork/app/diagnostics"
	"piwork/app/machines"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/pack/lazyregexp"
)

// What of tasks and logs goes into a bundle.
const (
	diagnosticTasks = 50
	diagnosticLogs  = 12
	diagnosticTail  = 64 << 10 // bytes of a log
)

// diagnosticsWithin bounds the look at this computer; what else is gathered is
// quick.
const diagnosticsWithin = 3 * time.Minute

const diagnosticsReadme = `What piwork gathered to find a fault on this computer.

Taken out: keys, tokens and passwords; names of the person, of the computer, of
folders and files, of servers; values of the environment. In their places stand
<words in angle brackets>, the same one for the same thing.
Not gathered to begin with: contents of files, what tasks were asked, their titles,
conversations and results.
`

// Diagnostics gathers a bundle and keeps it for WriteDiagnostics. What
// cannot be found out is said in its place.
func (u *Upkeep) Diagnostics(ctx context.Context) (Diagnostics, error) {
	_, d, err := u.gather(ctx)
	return d, err
}

// shownBundle is the bundle that was shown last.
type shownBundle struct {
	id     string
	bundle diagnostics.Bundle
}

// WriteDiagnostics writes the bundle that was shown, or one that is gathered now.
func (u *Upkeep) WriteDiagnostics(ctx context.Context, r DiagnosticsRequest) (DiagnosticsFile, error) {
	if !filepath.IsAbs(r.Path) || !strings.EqualFold(filepath.Ext(r.Path), ".zip") {
		return DiagnosticsFile{}, problem.BadRequest("path", "%q is no absolute path of a zip file", r.Path)
	}
	u.mu.Lock()
	shown := u.shown
	u.mu.Unlock()
	bundle := shown.bundle
	switch {
	case r.ID == "":
		b, _, err := u.gather(ctx)
		if err != nil {
			return DiagnosticsFile{}, err
		}
		bundle = b
	case r.ID != shown.id:
		return DiagnosticsFile{}, problem.New(problem.CodeChangedSince).With("preview", r.ID)
	}
	n, err := bundle.Write(r.Path, r.Replace)
	if err != nil {
		return DiagnosticsFile{}, problem.From(err)
	}
	return DiagnosticsFile{Path: r.Path, Bytes: n}, nil
}

func (u *Upkeep) gather(ctx context.Context) (diagnostics.Bundle, Diagnostics, error) {
	tasks, damaged, err := u.o.Store.List()
	if err != nil {
		u.o.Log.Warn("diagnostics without tasks", "error", err)
	}
	out := diagnostics.NewCollector(diagnostics.NewRedactor(u.knownNames(tasks)), u.o.Now())
	out.Text("README.txt", diagnosticsReadme)
	out.JSON("about.json", map[string]any{
		"version": u.o.Version, "developer": u.o.Developer, "os": runtime.GOOS, "arch": runtime.GOARCH, "go": runtime.Version(),
		"time": u.o.Now().UTC().Truncate(time.Second), "packDir": u.o.PackDir != "", "accel": u.o.Accel,
	})
	look, stop := context.WithTimeout(ctx, diagnosticsWithin)
	part(out, "doctor.json", func() (setup.Report, error) { return u.o.Status(look, false) })
	stop()
	part(out, "machines.json", func() (machines.Machines, error) { return u.o.Fleet.Machines(ctx) })
	part(out, "update.json", func() (updater.State, error) { return u.o.Packs.Update(ctx) })
	part(out, "packs.json", func() ([]packFacts, error) { return u.packFacts(ctx) })
	part(out, "audit.json", func() (audit.Report, error) { return u.AuditVerify(ctx) })
	part(out, "storage.json", func() (Storage, error) { return u.storage(ctx) })
	out.JSON("settings.json", u.o.Facts())
	facts := make([]taskFacts, 0, diagnosticTasks)
	for _, t := range tasks[:min(len(tasks), diagnosticTasks)] {
		facts = append(facts, factsOf(t))
	}
	out.JSON("tasks.json", map[string]any{"all": len(tasks), "damaged": len(damaged), "last": facts})
	u.gatherLogs(out)
	if err := ctx.Err(); err != nil {
		return diagnostics.Bundle{}, Diagnostics{}, problem.From(context.Cause(ctx))
	}
	s := shownBundle{id: uuid.NewString(), bundle: out.Bundle()}
	u.mu.Lock()
	u.shown = s
	u.mu.Unlock()
	return s.bundle, Diagnostics{ID: s.id, Files: s.bundle.Files}, nil
}

func part[T any](out *diagnostics.Collector, name string, f func() (T, error)) {
	v, err := f()
	if err != nil {
		out.Failed(name, err)
		return
	}
	out.JSON(name, v)
}

// knownNames is what is known of this person: it is looked for everywhere.
func (u *Upkeep) knownNames(tasks []task.Task) diagnostics.Known {
	k := diagnostics.Known{Places: []diagnostics.Place{
		{Name: "data", Path: u.o.DataDir}, {Name: "config", Path: u.o.ConfigDir}, {Name: "cache", Path: u.o.CacheDir},
		{Name: "sockets", Path: u.o.RunDir}, {Name: "temp", Path: os.TempDir()},
	}}
	if u.o.PackDir != "" {
		k.Places = append(k.Places, diagnostics.Place{Name: "pack", Path: u.o.PackDir})
	}
	if home, err := os.UserHomeDir(); err == nil {
		k.Places = append(k.Places, diagnostics.Place{Name: "home", Path: home})
		k.Users = append(k.Users, filepath.Base(home))
	}
	if program, err := os.Executable(); err == nil {
		k.Places = append(k.Places, diagnostics.Place{Name: "program", Path: program})
	}
	if u, err := user.Current(); err == nil {
		_, account, domain := strings.Cut(u.Username, `\`) // DOMAIN\account on Windows
		if !domain {
			account = u.Username
		}
		k.Users = append(k.Users, account, u.Name)
	}
	if host, err := os.Hostname(); err == nil {
		k.Hosts = append(k.Hosts, host)
	}
	for _, t := range tasks[:min(len(tasks), diagnosticTasks)] {
		k.Names = append(k.Names, t.Title)
		for _, f := range t.Folders {
			k.Names = append(k.Names, f.Name, filepath.Base(f.Path))
		}
		for _, r := range t.Results {
			k.Names = append(k.Names, filepath.Base(filepath.FromSlash(r.Path)))
		}
	}
	return k
}

// kernelLine is what the kernel of a guest prints, and the program that is first in
// it. Anything else on a console came from what runs there, which sees files.
var kernelLine = lazyregexp.New(`(?m)^(?:\[ *\d+\.\d+\]|READY|piwork-guest:).{0,300}`)

func (u *Upkeep) gatherLogs(out *diagnostics.Collector) {
	files, err := u.logFiles()
	if err != nil {
		out.Failed("logs", err)
	}
	for _, f := range files[:min(len(files), diagnosticLogs)] {
		data, err := tailOf(f.path, diagnosticTail)
		if err != nil {
			out.Failed("logs/"+f.Name, err)
			continue
		}
		text := string(data)
		switch {
		case strings.HasPrefix(f.Name, "controller.log"):
			text = controllerLines(text)
		case !strings.Contains(f.Name, "qemu.log"):
			lines := kernelLine().FindAllString(strings.ReplaceAll(text, "\r", ""), -1)
			text = strings.Join(lines, "\n") + fmt.Sprintf("\n(%d lines that are not the system's own were left out)\n", strings.Count(text, "\n")+1-len(lines))
		}
		out.Text("logs/"+f.Name, text)
	}
}

// controllerLines is what the controller logged, as far as it says nothing that a person or a
// program named: each line is a JSON object, of which these members are kept.
func controllerLines(text string) string {
	var b strings.Builder
	left := 0
	for line := range strings.Lines(text) {
		var said struct {
			Time  string `json:"time"`
			Level string `json:"level"`
			Msg   string `json:"msg"`
			logAttrs
		}
		if json.Unmarshal([]byte(line), &said) != nil { // the first may be a piece of one
			left++
			continue
		}
		kept, _ := json.Marshal(said) // it has strings and numbers alone
		b.Write(append(kept, '\n'))
	}
	return b.String() + fmt.Sprintf("(%d lines that are none of the log's were left out)\n", left)
}

// logAttrs are attributes of the log that are piwork's own words. Error is last: a path in it is
// taken out to the end of the line.
type logAttrs struct {
	Request   string `json:"request,omitempty"`
	Task      string `json:"task,omitempty"`
	Operation string `json:"operation,omitempty"`
	Code      string `json:"code,omitempty"`
	Why       string `json:"why,omitempty"`
	Times     int    `json:"times,omitempty"`
	Error     string `json:"error,omitempty"`
}
