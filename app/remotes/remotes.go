// Package remotes knows the other computers and the clusters on which a person has tasks
// work: what they are called, how they are reached, and which of their keys the person
// confirmed.
//
// A computer is either a place for a task of this piwork, on folders that are here, or it has
// a piwork of its own, which does the whole work there, on folders that are there, and of
// which this one is a client ([Computers.Piwork]).
//
// Each is a kind of place of its own (vmhost.KindRemote or vmhost.KindKubernetes, a colon and
// its name). What it is reached with otherwise is in the person's own SSH configuration
// (vmhost/remote) or kubeconfig (vmhost/kubernetes), and nothing of that is copied or changed
// here.
package remotes

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/pack/lazyregexp"
	"piwork/vmhost"
	"piwork/vmhost/kubernetes"
	"piwork/vmhost/remote"
)

// Remote is one that a person added.
type Remote struct {
	Name     string            `json:"name" maxLength:"31" doc:"what it is called here"`
	Address  string            `json:"address" maxLength:"400" doc:"[user@]host[:port], or a name of the person's SSH configuration"`
	HostKeys map[string]string `json:"hostKeys,omitempty" doc:"keys that a person confirmed, by address, as SSH writes them"`
	Program  string            `json:"program,omitempty" maxLength:"400" doc:"where piwork lies there, from / or ~/, for who works with that one (piwork --on); none is one of the usual places"`
	Cluster  *Cluster          `json:"cluster,omitempty" doc:"it is a cluster, and the address a context of the person's kubeconfig"`
}

// Cluster is what is to be known of a cluster besides.
type Cluster struct {
	Namespace string `json:"namespace,omitempty" maxLength:"63" doc:"where Pods are made; none is the one of the context"`
	Image     string `json:"image" maxLength:"300" doc:"what Pods are made of, with a shell"`
	Owner     string `json:"owner,omitempty" maxLength:"63" readOnly:"true" doc:"the label by which piwork knows its own Pods there"`
}

// Kind is that of its places.
func (c Remote) Kind() string {
	if c.Cluster != nil {
		return vmhost.KindKubernetes + ":" + c.Name
	}
	return vmhost.KindRemote + ":" + c.Name
}

// Capabilities are what its places can do.
func (c Remote) Capabilities() vmhost.Capabilities {
	if c.Cluster != nil {
		return kubernetes.Capabilities(c.Name)
	}
	return remote.Capabilities(c.Name)
}

// Work is what can be done there, of what can be on a computer: the pack's programs are not
// sent to clusters.
func (c Remote) Work(computer []task.Kind) []task.Kind {
	if c.Cluster != nil {
		return []task.Kind{task.KindExec}
	}
	return computer
}

// Reaches is the cluster of one that is a cluster.
func (c Remote) Reaches() kubernetes.Cluster {
	return kubernetes.Cluster{Context: c.Address, Namespace: c.Cluster.Namespace, Image: c.Cluster.Image, Owner: c.Cluster.Owner}
}

// Reach is how it is reached.
func (c Remote) Reach() (remote.Computer, error) {
	t, err := remote.ParseTarget(c.Address)
	return remote.Computer{Target: t, HostKeys: c.HostKeys, Program: c.Program}, err
}

// RemoteAddition is a computer to be added.
type RemoteAddition struct {
	Name    string   `json:"name" maxLength:"31" doc:"what it is to be called here: small letters, digits and -"`
	Address string   `json:"address" maxLength:"400" doc:"[user@]host[:port], or a name of the person's SSH configuration; of a cluster, a context of their kubeconfig"`
	Confirm []string `json:"confirm,omitempty" maxItems:"16" doc:"fingerprints of keys (SHA256:…) that a person confirms"`
	Program string   `json:"program,omitempty" maxLength:"400" doc:"where piwork lies there, from / or ~/; none is one of the usual places"`
	Cluster *Cluster `json:"cluster,omitempty" doc:"it is a cluster"`
}

// Kept is the list, on the disk (settings.Value). A set that leaves a computer out takes
// back what was chosen about its kind, too.
type Kept interface {
	Get() []Remote
	Set([]Remote) error
}

// Computers are all of them. It is safe for concurrent use.
type Computers struct {
	kept  Kept
	audit *audit.Log // of who changes which there are
	look  func(context.Context, remote.Computer) error
	clean func(context.Context, remote.Computer) error
	meet  func(context.Context, kubernetes.Cluster) error
	sweep func(context.Context, kubernetes.Cluster) error
	usage func(context.Context, remote.Computer) (remote.Usage, error)
	count func(context.Context, kubernetes.Cluster) (int, error)
	turn  sync.Mutex // of changes
}

// New returns those that are kept.
func New(kept Kept, log *audit.Log) *Computers {
	return &Computers{
		kept:  kept,
		audit: log,
		look:  func(ctx context.Context, c remote.Computer) error { return c.Look(ctx) },
		clean: func(ctx context.Context, c remote.Computer) error { return c.Clean(ctx) },
		meet:  func(ctx context.Context, c kubernetes.Cluster) error { return c.Look(ctx) },
		sweep: func(ctx context.Context, c kubernetes.Cluster) error { return c.Clean(ctx) },
		usage: func(ctx context.Context, c remote.Computer) (remote.Usage, error) { return c.Usage(ctx) },
		count: func(ctx context.Context, c kubernetes.Cluster) (int, error) { return c.Places(ctx) },
	}
}

// Remotes lists them by name.
func (r *Computers) Remotes(context.Context) ([]Remote, error) {
	return slices.Clone(r.kept.Get()), nil
}

// FindRemote finds the computer of a kind of places.
func (r *Computers) FindRemote(kind string) (Remote, bool) {
	for _, c := range r.kept.Get() {
		if c.Kind() == kind {
			return c, true
		}
	}
	return Remote{}, false
}

var computerName = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,30}$`)

// AddRemote adds a computer that lets the person in, and whose key is known or confirmed. The
// problem of another key has its fingerprint and its address.
func (r *Computers) AddRemote(ctx context.Context, a RemoteAddition) (Remote, error) {
	if !computerName().MatchString(a.Name) {
		return Remote{}, problem.BadRequest("name", "%q is not of small letters, digits and -", a.Name)
	}
	if _, is := r.named(a.Name); is {
		return Remote{}, problem.BadRequest("name", "there is a computer %q already", a.Name)
	}
	if err := remote.CheckProgram(a.Program); err != nil {
		return Remote{}, problem.BadRequest("program", "%v", err)
	}
	c := Remote{Name: a.Name, Address: a.Address, Program: a.Program}
	if a.Cluster != nil {
		return r.addCluster(ctx, c, *a.Cluster)
	}
	to, err := c.Reach()
	if err != nil {
		return Remote{}, problem.BadRequest("address", "%v", err)
	}
	to.HostKeys = map[string]string{}
	for {
		err := r.look(ctx, to)
		if err == nil {
			break
		}
		var key *remote.HostKeyError
		if !errors.As(err, &key) {
			return Remote{}, problem.From(err)
		}
		if key.Changed || !slices.Contains(a.Confirm, key.Fingerprint) || to.HostKeys[key.Address] != "" {
			return Remote{}, problem.From(err).With("fingerprint", key.Fingerprint).With("address", key.Address)
		}
		address, line := key.Pin()
		to.HostKeys[address] = strings.TrimSpace(line)
	}
	if len(to.HostKeys) > 0 {
		c.HostKeys = maps.Clone(to.HostKeys)
	}
	return r.keep(ctx, c)
}

// addCluster adds a cluster that would let the person have a Pod.
func (r *Computers) addCluster(ctx context.Context, c Remote, of Cluster) (Remote, error) {
	of.Owner = rand.Text()
	c.Cluster = &of
	to := c.Reaches()
	if err := to.Check(); err != nil {
		return Remote{}, problem.BadRequest("cluster", "%v", err)
	}
	if err := r.meet(ctx, to); err != nil {
		return Remote{}, problem.From(err).With("context", to.Context)
	}
	return r.keep(ctx, c)
}

// keep adds one to the list.
func (r *Computers) keep(ctx context.Context, c Remote) (Remote, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	all := slices.Clone(r.kept.Get())
	if slices.ContainsFunc(all, func(o Remote) bool { return o.Name == c.Name }) {
		return Remote{}, problem.BadRequest("name", "there is a computer %q already", c.Name)
	}
	all = append(all, c)
	slices.SortFunc(all, func(a, b Remote) int { return strings.Compare(a.Name, b.Name) })
	if err := r.audit.Decide(ctx, "", audit.Decision{Topic: "remote/" + c.Name, Answer: "written"}); err != nil {
		return Remote{}, err
	}
	if err := r.kept.Set(all); err != nil {
		return Remote{}, problem.From(err)
	}
	return c, nil
}

// RemoveRemote removes a computer from the list. What is there stays there: CleanRemote.
func (r *Computers) RemoveRemote(ctx context.Context, name string) error {
	r.turn.Lock()
	defer r.turn.Unlock()
	all := r.kept.Get()
	left := slices.DeleteFunc(slices.Clone(all), func(c Remote) bool { return c.Name == name })
	if len(left) == len(all) {
		return r.unknown(name)
	}
	if err := r.kept.Set(left); err != nil {
		return problem.From(err)
	}
	return r.audit.Decide(ctx, "", audit.Decision{Topic: "remote/" + name, Answer: "removed"}) // last: what only takes a right away waits for no record
}

// RemoteUsage is what piwork has on a computer.
type RemoteUsage struct {
	Bytes  int64      `json:"bytes" doc:"of its disk; cleanRemote frees them. A cluster keeps nothing between tasks"`
	Places int        `json:"places" doc:"how many tasks work there, also of other computers"`
	Used   *time.Time `json:"used,omitempty" doc:"when one began or ended there last; without it, never"`
	Piwork *Piwork    `json:"piwork,omitempty" doc:"the piwork that is installed there (piwork --on); none was found without it"`
}

// Piwork is one that is installed on another computer.
type Piwork struct {
	Version string `json:"version"`
	Program string `json:"program" doc:"its path there"`
}

// usageTime is how long a computer may take to say what piwork has there.
const usageTime = 15 * time.Second

// RemoteUsage asks a computer what piwork has there.
func (r *Computers) RemoteUsage(ctx context.Context, name string) (RemoteUsage, error) {
	c, ok := r.named(name)
	if !ok {
		return RemoteUsage{}, r.unknown(name)
	}
	bounded, cancel := context.WithTimeout(ctx, usageTime)
	defer cancel()
	var u remote.Usage
	var err error
	if c.Cluster != nil {
		u.Places, err = r.count(bounded, c.Reaches())
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = &vmhost.FailedError{Runtime: vmhost.KindKubernetes, Reason: vmhost.ReasonClusterUnreachable, Err: err}
		}
	} else {
		var to remote.Computer
		if to, err = c.Reach(); err == nil {
			u, err = r.usage(bounded, to)
		}
	}
	if err != nil {
		return RemoteUsage{}, problem.From(err)
	}
	out := RemoteUsage{Bytes: u.Bytes, Places: u.Places}
	if u.Piwork != (remote.Found{}) {
		out.Piwork = &Piwork{u.Piwork.Version, u.Piwork.Program}
	}
	if !u.Used.IsZero() {
		used := u.Used.UTC()
		out.Used = &used
	}
	return out, nil
}

// CleanRemote ends what piwork has running on a computer, and removes all that it left there.
func (r *Computers) CleanRemote(ctx context.Context, name string) error {
	c, ok := r.named(name)
	if !ok {
		return r.unknown(name)
	}
	if c.Cluster != nil {
		if err := r.sweep(ctx, c.Reaches()); err != nil {
			return problem.From(err)
		}
		return nil
	}
	to, err := c.Reach()
	if err == nil {
		err = r.clean(ctx, to)
	}
	if err != nil {
		return problem.From(err)
	}
	return nil
}

// named finds one by its name.
func (r *Computers) named(name string) (Remote, bool) {
	for _, c := range r.kept.Get() {
		if c.Name == name {
			return c, true
		}
	}
	return Remote{}, false
}

func (r *Computers) unknown(name string) *problem.Problem {
	var names []string
	for _, c := range r.kept.Get() {
		names = append(names, c.Name)
	}
	return problem.UnknownRemote(name, names)
}
