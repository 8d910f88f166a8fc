package remotes

import (
	"context"
	"errors"

	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/vmhost/remote"
)

// document is what is read of the choices of a person.
type document struct {
	Remotes []Remote `json:"remotes,omitempty"`
}

// fixed are computers that this process does not change: a controller has the list.
type fixed []Remote

func (f fixed) Get() []Remote { return f }
func (fixed) Set([]Remote) error {
	return errors.New("the list of computers belongs to the controller")
}

// Read returns the computers in a file of choices, to connect to, for a process that has no
// controller.
func Read(path string) (*Computers, error) {
	f, err := settings.Open(path, document{}, nil)
	if err != nil {
		return nil, problem.From(err)
	}
	return New(fixed(f.Get().Remotes)), nil
}

// CauseCluster is the cause of problem.CodeRemotePiwork of a cluster, in which no piwork is
// installed. The others are those of [remote.ProgramError].
const CauseCluster = "cluster"

// Piwork connects to a computer on which piwork is installed.
func (r *Computers) Piwork(ctx context.Context, name string) (*remote.Piwork, error) {
	c, ok := r.named(name)
	switch {
	case !ok:
		return nil, r.unknown(name)
	case c.Cluster != nil:
		return nil, problem.New(problem.CodeRemotePiwork).With("name", name).By(CauseCluster)
	}
	to, err := c.Reach()
	if err != nil {
		return nil, problem.From(err)
	}
	p, err := to.FindPiwork(ctx)
	if err != nil {
		return nil, Explain(name, err)
	}
	return p, nil
}

// Explain is the problem of a connection to the piwork on a computer.
func Explain(name string, err error) *problem.Problem {
	var of *remote.ProgramError
	if !errors.As(err, &of) {
		return problem.From(err)
	}
	p := problem.New(problem.CodeRemotePiwork).With("name", name).By(of.Why)
	p.Details = of.Detail
	return p
}
