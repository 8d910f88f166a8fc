package remotes

import (
	"context"
	"errors"

	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/vmhost"
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
	return New(fixed(f.Get().Remotes), nil), nil
}

// Causes of problem.CodeRemotePiwork. The others are those of [remote.ProgramError].
const (
	CauseCluster   = "cluster"    // no piwork is installed in one
	CauseNotAlone  = "not-alone"  // this program cannot be sent: it needs others of its computer
	CauseOtherKind = "other-kind" // it does not run there, or cannot be there
)

// reach finds a computer on which a piwork can be.
func (r *Computers) reach(name string) (remote.Computer, error) {
	c, ok := r.named(name)
	switch {
	case !ok:
		return remote.Computer{}, r.unknown(name)
	case c.Cluster != nil:
		return remote.Computer{}, problem.New(problem.CodeRemotePiwork).With("name", name).By(CauseCluster)
	}
	to, err := c.Reach()
	if err != nil {
		return remote.Computer{}, problem.From(err)
	}
	return to, nil
}

// InstallPiwork sends a program to a computer, to be the piwork there. CleanRemote removes it.
func (r *Computers) InstallPiwork(ctx context.Context, name, program string) (Piwork, error) {
	to, err := r.reach(name)
	if err != nil {
		return Piwork{}, err
	}
	f, err := to.InstallPiwork(ctx, program)
	var failed *vmhost.FailedError
	switch {
	case errors.Is(err, remote.ErrNotAlone):
		return Piwork{}, problem.New(problem.CodeRemotePiwork).With("name", name).By(CauseNotAlone).Because(err)
	case errors.As(err, &failed) && failed.Reason == vmhost.ReasonRemoteUnfit:
		return Piwork{}, problem.New(problem.CodeRemotePiwork).With("name", name).By(CauseOtherKind).Because(err)
	case err != nil:
		return Piwork{}, Explain(name, err)
	}
	return Piwork{f.Version, f.Program}, nil
}

// Piwork connects to a computer on which piwork is installed.
func (r *Computers) Piwork(ctx context.Context, name string) (*remote.Piwork, error) {
	to, err := r.reach(name)
	if err != nil {
		return nil, err
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
