package app

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"piwork/app/machines"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/google/uuid"

	"piwork/app/diagnostics"
	"piwork/app/problem"
	"piwork/app/setup"
	"piwork/app/task"
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

// Diagnostics gathers a bundle and keeps it for WriteDiagnostics; see Service. What
// cannot be found out is said in its place.
func (c *Controller) Diagnostics(ctx context.Context) (Diagnostics, error) {
	_, d, err := c.gather(ctx)
	return d, err
}

// shownBundle is the bundle that was shown last.
type shownBundle struct {
	id     string
	bundle diagnostics.Bundle
}

// WriteDiagnostics writes the bundle that was shown, or one that is gathered now.
func (c *Controller) WriteDiagnostics(ctx context.Context, r DiagnosticsRequest) (DiagnosticsFile, error) {
	if !filepath.IsAbs(r.Path) || !strings.EqualFold(filepath.Ext(r.Path), ".zip") {
		return DiagnosticsFile{}, problem.BadRequest("path", "%q is no absolute path of a zip file", r.Path)
	}
	c.mu.Lock()
	shown := c.shown
	c.mu.Unlock()
	bundle := shown.bundle
	switch {
	case r.ID == "":
		b, _, err := c.gather(ctx)
		if err != nil {
			return DiagnosticsFile{}, err
		}
		bundle = b
	case r.ID != shown.id:
		return DiagnosticsFile{}, problem.New(problem.CodeChangedSince).With("preview", r.ID)
	}
	n, err := bundle.Write(r.Path)
	if err != nil {
		return DiagnosticsFile{}, problem.From(err)
	}
	return DiagnosticsFile{Path: r.Path, Bytes: n}, nil
}

func (c *Controller) gather(ctx context.Context) (diagnostics.Bundle, Diagnostics, error) {
	tasks, damaged, err := c.store.List()
	if err != nil {
		c.log.Warn("diagnostics without tasks", "error", err)
	}
	out := diagnostics.NewCollector(diagnostics.NewRedactor(c.knownNames(tasks)), c.now())
	out.Text("README.txt", diagnosticsReadme)
	out.JSON("about.json", map[string]any{
		"version": c.o.Version, "developer": c.o.Developer, "os": runtime.GOOS, "arch": runtime.GOARCH, "go": runtime.Version(),
		"time": c.now().UTC().Truncate(time.Second), "packDir": c.o.PackDir != "", "accel": c.o.Accel,
	})
	look, stop := context.WithTimeout(ctx, diagnosticsWithin)
	part(out, "doctor.json", func() (setup.Report, error) { return c.Status(look, false) })
	stop()
	part(out, "machines.json", func() (machines.Machines, error) { return c.Machines(ctx) })
	part(out, "update.json", func() (updater.State, error) { return c.Update(ctx) })
	part(out, "packs.json", func() ([]packFacts, error) { return c.packFacts(ctx) })
	part(out, "audit.json", func() (AuditReport, error) { return c.AuditVerify(ctx) })
	part(out, "storage.json", func() (Storage, error) { return c.storage(ctx) })
	out.JSON("settings.json", c.settingFacts())
	facts := make([]taskFacts, 0, diagnosticTasks)
	for _, t := range tasks[:min(len(tasks), diagnosticTasks)] {
		facts = append(facts, factsOf(t))
	}
	out.JSON("tasks.json", map[string]any{"all": len(tasks), "damaged": len(damaged), "last": facts})
	c.gatherLogs(out)
	if err := ctx.Err(); err != nil {
		return diagnostics.Bundle{}, Diagnostics{}, problem.From(context.Cause(ctx))
	}
	s := shownBundle{id: uuid.NewString(), bundle: out.Bundle()}
	c.mu.Lock()
	c.shown = s
	c.mu.Unlock()
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
func (c *Controller) knownNames(tasks []task.Task) diagnostics.Known {
	k := diagnostics.Known{Places: []diagnostics.Place{
		{Name: "data", Path: c.o.DataDir}, {Name: "config", Path: c.o.ConfigDir}, {Name: "cache", Path: c.o.CacheDir},
		{Name: "sockets", Path: c.runs.Base}, {Name: "temp", Path: os.TempDir()},
	}}
	if c.o.PackDir != "" {
		k.Places = append(k.Places, diagnostics.Place{Name: "pack", Path: c.o.PackDir})
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

// packFacts is what a bundle says of an installed runtime.
type packFacts struct {
	Name      string           `json:"name"`
	Version   string           `json:"version"`
	OS        string           `json:"os"`
	Arch      string           `json:"arch"`
	Built     time.Time        `json:"built"`
	Bytes     int64            `json:"bytes"`
	Kind      runtimepack.Kind `json:"kind,omitempty"`
	Checksum  string           `json:"checksum,omitempty"` // how it begins
	Developer bool             `json:"developer,omitempty"`
	Current   bool             `json:"current,omitempty"`
	Previous  bool             `json:"previous,omitempty"`
	Candidate bool             `json:"candidate,omitempty"`
	Failed    bool             `json:"failed,omitempty"`
	InUse     bool             `json:"inUse,omitempty"`
	Problem   string           `json:"problem,omitempty"` // code
}

func (c *Controller) packFacts(ctx context.Context) ([]packFacts, error) {
	packs, err := c.Packs(ctx)
	out := make([]packFacts, 0, len(packs))
	for _, p := range packs {
		f := packFacts{
			Name: p.Name, Version: p.Version, OS: p.OS, Arch: p.Arch, Built: p.Built, Bytes: p.Bytes, Kind: p.Kind,
			Checksum: p.Checksum[:min(len(p.Checksum), 12)], Developer: p.Developer, Current: p.Current, Previous: p.Previous,
			Candidate: p.Candidate, Failed: p.Failed, InUse: p.InUse,
		}
		if p.Problem != nil {
			f.Problem = p.Problem.Code
		}
		out = append(out, f)
	}
	return out, err
}

// settingFacts are the choices, without addresses.
func (c *Controller) settingFacts() map[string]any {
	s := c.config.Get()
	return map[string]any{
		"slowMode": s.SlowMode, "machines": s.Machines, "undo": s.Undo, "window": s.Window, "ownModel": s.Model != "",
		"updates": map[string]any{"off": !s.Updates.Auto, "urls": len(s.Updates.URLs), "proxy": s.Updates.Proxy != "", "authorities": s.Updates.CAFile != ""},
	}
}

// taskFacts is what a bundle says of a task: nothing that its person wrote, and no
// name.
type taskFacts struct {
	ID       string       `json:"id"`
	Kind     task.Kind    `json:"kind"`
	State    task.State   `json:"state"`
	Created  time.Time    `json:"created"`
	Started  *time.Time   `json:"started,omitempty"`
	Ended    *time.Time   `json:"ended,omitempty"`
	Folders  []task.Mode  `json:"folders"` // how many, and their modes
	Network  task.Network `json:"network"`
	Runtime  string       `json:"runtime"`
	Pack     string       `json:"pack"`
	Accel    string       `json:"accel,omitempty"`
	Chore    string       `json:"chore,omitempty"`
	ExitCode *int         `json:"exitCode,omitempty"`
	Results  int          `json:"results"`
	Usage    *task.Usage  `json:"usage,omitempty"`
	Error    *codeFacts   `json:"error,omitempty"`
	Problems []codeFacts  `json:"problems,omitempty"`
}

// codeFacts is what a bundle says of a problem of a task: its evidence may name
// files.
type codeFacts struct {
	Code     string           `json:"code"`
	Cause    string           `json:"cause,omitempty"`
	Severity problem.Severity `json:"severity"`
}

func factsOf(t task.Task) taskFacts {
	f := taskFacts{
		ID: t.ID, Kind: t.Kind, State: t.State, Created: t.Created, Started: t.Started, Ended: t.Ended, Folders: []task.Mode{},
		Network: t.Network, Runtime: t.Runtime, Pack: t.Pack, Accel: t.Accel, Chore: t.Chore, ExitCode: t.ExitCode, Results: len(t.Results),
	}
	for _, folder := range t.Folders {
		f.Folders = append(f.Folders, folder.Mode)
	}
	if t.AI != nil {
		f.Usage = &t.AI.Usage
	}
	if t.Error != nil {
		f.Error = &codeFacts{Code: t.Error.Code, Cause: t.Error.Cause, Severity: t.Error.Severity}
	}
	for _, p := range t.Problems[:min(len(t.Problems), diagnosticTasks)] {
		f.Problems = append(f.Problems, codeFacts{Code: p.Code, Cause: p.Cause, Severity: p.Severity})
	}
	return f
}

// kernelLine is what the kernel of a guest prints, and the program that is first in
// it. Anything else on a console came from what runs there, which sees files.
var kernelLine = regexp.MustCompile(`(?m)^(?:\[ *\d+\.\d+\]|READY|piwork-guest:).{0,300}`)

func (c *Controller) gatherLogs(out *diagnostics.Collector) {
	files, err := c.logFiles()
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
		if !strings.Contains(f.Name, "qemu.log") {
			lines := kernelLine.FindAllString(strings.ReplaceAll(text, "\r", ""), -1)
			text = strings.Join(lines, "\n") + fmt.Sprintf("\n(%d lines that are not the system's own were left out)\n", strings.Count(text, "\n")+1-len(lines))
		}
		out.Text("logs/"+f.Name, text)
	}
}
