package remotes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/audit/audittest"
	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/kubernetes"
	"piwork/vmhost/remote"
)

type list struct{ all []Remote }

func (l *list) Get() []Remote          { return l.all }
func (l *list) Set(all []Remote) error { l.all = all; return nil }

// there are computers of which one key each is known, or is not.
func there(pins map[string]string) func(context.Context, remote.Computer) error {
	return func(_ context.Context, c remote.Computer) error {
		for address, key := range pins {
			err := &remote.HostKeyError{Address: address, Key: key, Fingerprint: "SHA256:" + key}
			switch pinned := c.HostKeys[address]; {
			case pinned == "":
			case pinned != key:
				err.Changed = true
			default:
				continue
			}
			return fmt.Errorf("look: %w", &vmhost.FailedError{Runtime: "remote", Reason: vmhost.ReasonHostKeyUnknown, Err: err})
		}
		return nil
	}
}

// A computer is added when the person confirmed every key on the way to it, and no other.
func TestAdd(t *testing.T) {
	l, log := &list{}, audittest.Open(t)
	r := New(l, log)
	r.look = there(map[string]string{"jump:22": "j", "lab:22": "k"})
	for n, confirm := range [][]string{nil, {"SHA256:x"}, {"SHA256:j"}, {"SHA256:k"}} {
		var p *problem.Problem
		_, err := r.AddRemote(t.Context(), RemoteAddition{Name: "lab", Address: "anna@lab", Confirm: confirm})
		if !errors.As(err, &p) || p.Cause != string(vmhost.ReasonHostKeyUnknown) || p.Params["fingerprint"] == nil || len(l.all) > 0 {
			t.Errorf("%d: %+v", n, err)
		}
	}
	c, err := r.AddRemote(t.Context(), RemoteAddition{Name: "lab", Address: "anna@lab", Confirm: []string{"SHA256:k", "SHA256:j"}})
	if err != nil || len(c.HostKeys) != 2 || c.Kind() != "remote:lab" {
		t.Fatalf("%+v %v", c, err)
	}
	if got, ok := r.FindRemote("remote:lab"); !ok || got.Address != "anna@lab" {
		t.Errorf("%+v", got)
	}
	for _, a := range []RemoteAddition{
		{Name: "lab", Address: "other"}, {Name: "", Address: "x"}, {Name: "A", Address: "x"}, {Name: "a:b", Address: "x"}, {Name: "../x", Address: "x"},
		{Name: "x", Address: "-oProxyCommand=id"}, {Name: "x", Address: "a b"}, {Name: "x"},
	} {
		var p *problem.Problem
		if _, err := r.AddRemote(t.Context(), a); !errors.As(err, &p) || p.Code != problem.CodeBadRequest {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if err := r.RemoveRemote(t.Context(), "lab"); err != nil || len(l.all) > 0 {
		t.Errorf("%v %v", l.all, err)
	}
	if got := audittest.Decisions(t, log); !slices.Equal(got, []string{"remote/lab written person", "remote/lab removed person"}) {
		t.Errorf("%q", got)
	}
	for _, f := range []func(context.Context, string) error{r.RemoveRemote, r.CleanRemote} {
		var p *problem.Problem
		if err := f(t.Context(), "lab"); !errors.As(err, &p) || p.Code != problem.CodeNotFound || p.Cause != "unknown-remote" || p.Params["place"] != "lab" {
			t.Error(err)
		}
	}
}

// What piwork has on a computer is asked of that one, and only of one that is known.
func TestUsage(t *testing.T) {
	l := &list{all: []Remote{{Name: "big", Address: "context", Cluster: &Cluster{Image: "x", Owner: "owner0000"}}, {Name: "lab", Address: "anna@lab"}, {Name: "new", Address: "anna@new"}}}
	r, at := New(l, audittest.Open(t)), time.Unix(1700000000, 0)
	r.usage = func(ctx context.Context, c remote.Computer) (remote.Usage, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("it may take for ever")
		}
		if c.Target.Host == "new" {
			return remote.Usage{}, nil
		}
		return remote.Usage{Bytes: 5, Places: 2, Used: at}, nil
	}
	r.count = func(context.Context, kubernetes.Cluster) (int, error) { return 3, nil }
	if u, err := r.RemoteUsage(t.Context(), "lab"); err != nil || u.Bytes != 5 || u.Places != 2 || !u.Used.Equal(at) {
		t.Errorf("%+v %v", u, err)
	}
	if u, err := r.RemoteUsage(t.Context(), "new"); err != nil || u != (RemoteUsage{}) {
		t.Errorf("%+v %v", u, err)
	}
	if u, err := r.RemoteUsage(t.Context(), "big"); err != nil || u != (RemoteUsage{Places: 3}) {
		t.Errorf("%+v %v", u, err)
	}
	var p *problem.Problem
	if _, err := r.RemoteUsage(t.Context(), "other"); !errors.As(err, &p) || p.Code != problem.CodeNotFound {
		t.Error(err)
	}
	r.usage = func(context.Context, remote.Computer) (remote.Usage, error) { return remote.Usage{}, errors.New("no") }
	if _, err := r.RemoteUsage(t.Context(), "lab"); !errors.As(err, &p) {
		t.Error(err)
	}
}

// A cluster that says nothing can't be reached, as a computer that says nothing; who asked and
// went away hears that.
func TestUsageOfASilentCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(&list{all: []Remote{{Name: "big", Address: "context", Cluster: &Cluster{Image: "x", Owner: "owner0000"}}}}, audittest.Open(t))
		r.count = func(ctx context.Context, _ kubernetes.Cluster) (int, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}
		_, err := r.RemoteUsage(t.Context(), "big")
		if p := problem.From(err); p.Code != problem.CodeVMFailed || p.Cause != string(vmhost.ReasonClusterUnreachable) {
			t.Errorf("%+v", p)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.RemoteUsage(ctx, "big"); problem.From(err).Code != problem.CodeTimeout {
			t.Errorf("who asked has less time: %v", err)
		}
	})
}

// A cluster is added when it would let the person have a Pod, under a label of its own, and
// is cleaned as one.
func TestCluster(t *testing.T) {
	l := &list{}
	r := New(l, audittest.Open(t))
	var met, swept []kubernetes.Cluster
	refuse := error(nil)
	r.meet = func(_ context.Context, c kubernetes.Cluster) error { met = append(met, c); return refuse }
	r.sweep = func(_ context.Context, c kubernetes.Cluster) error { swept = append(swept, c); return refuse }
	r.look = func(context.Context, remote.Computer) error { return errors.New("no computer") }
	add := func(name string, c Cluster) (Remote, error) {
		return r.AddRemote(t.Context(), RemoteAddition{Name: name, Address: "lab-context", Cluster: &c})
	}
	var p *problem.Problem
	for _, c := range []Cluster{{}, {Image: "a b"}, {Image: "x", Namespace: "A"}} {
		if _, err := add("big", c); !errors.As(err, &p) || p.Code != problem.CodeBadRequest {
			t.Errorf("%+v: %v", c, err)
		}
	}
	refuse = &vmhost.FailedError{Runtime: "kubernetes", Reason: vmhost.ReasonClusterLogin, Err: errors.New("forbidden")}
	if _, err := add("big", Cluster{Image: "x"}); !errors.As(err, &p) || p.Cause != string(vmhost.ReasonClusterLogin) || p.Params["context"] != "lab-context" || len(l.all) > 0 {
		t.Errorf("%v", err)
	}
	refuse = nil
	c, err := add("big", Cluster{Image: "debian:12", Namespace: "tasks", Owner: "somebodyelse"})
	if err != nil || c.Kind() != "kubernetes:big" || c.Cluster.Owner == "somebodyelse" || met[len(met)-1].Context != "lab-context" {
		t.Fatalf("%+v %v", c, err)
	}
	other, err := add("small", Cluster{Image: "debian:12"})
	if err != nil || other.Cluster.Owner == c.Cluster.Owner {
		t.Errorf("%+v %v", other, err)
	}
	if _, err := add("big", Cluster{Image: "x"}); err == nil {
		t.Error("two of one name")
	}
	if err := r.CleanRemote(t.Context(), "big"); err != nil || len(swept) != 1 || swept[0].Owner != c.Cluster.Owner || swept[0].Namespace != "tasks" {
		t.Errorf("%+v %v", swept, err)
	}
	if got, ok := r.FindRemote("kubernetes:big"); !ok || got.Name != "big" {
		t.Errorf("%+v", got)
	}
	if _, ok := r.FindRemote("remote:big"); ok {
		t.Error("it is a computer, too")
	}
	if err := r.RemoveRemote(t.Context(), "big"); err != nil || len(l.all) != 1 {
		t.Errorf("%+v %v", l.all, err)
	}
}
