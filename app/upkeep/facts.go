package upkeep

import (
	"context"
	"time"

	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/task"
)

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

func (u *Upkeep) packFacts(ctx context.Context) ([]packFacts, error) {
	packs, err := u.o.Packs.Packs(ctx)
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
