package actions

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// place answers actions by a function.
type place func(ctx context.Context, id string, a vmhost.Action) (vmhost.Observation, error)

func (p place) Act(ctx context.Context, id string, a vmhost.Action) (vmhost.Observation, error) {
	return p(ctx, id, a)
}

// only are the kinds of places in which a person lets files change; empty is all.
type only []string

func (o only) FileRule() vmhost.Requirement {
	return vmhost.Requirement{Kinds: o}
}

// here is a place of a kind, which counts what is done in it.
func here(c vmhost.Capabilities, done *int) place {
	return func(_ context.Context, _ string, a vmhost.Action) (vmhost.Observation, error) {
		if err := a.Meets(c); err != nil {
			return vmhost.Observation{}, err
		}
		*done++
		return vmhost.Observation{File: &wire.FileResult{Info: &wire.FileInfo{}}, Fetch: &wire.FetchResult{}, Page: &wire.PageResult{}}, nil
	}
}

// An action in a task that works where it is not to be done is refused with what is missing,
// and nothing of it is done.
func TestRequiresRuntime(t *testing.T) {
	sandbox := vmhost.Capabilities{Name: vmhost.KindSandbox, Isolation: vmhost.IsolationNamespace, Networks: []vmhost.NetworkPolicy{vmhost.NetworkDeny}}
	kinds := func(names ...string) Needs { return Needs{&vmhost.Requirement{Kinds: names}} }
	read := func(n Needs) func(*Actions) error {
		return func(a *Actions) error {
			_, err := a.ReadFile(t.Context(), "t", ReadRequest{StatRequest: StatRequest{Needs: n, Path: "/folders/a/b"}})
			return err
		}
	}
	write := func(at string) func(*Actions) error {
		return func(a *Actions) error {
			_, err := a.WriteFile(t.Context(), "t", WriteRequest{StatRequest: StatRequest{Path: at}})
			return err
		}
	}
	for name, row := range map[string]struct {
		files only
		do    func(*Actions) error
		cause string // "" where it is done
	}{
		"no need":      {nil, read(Needs{}), ""},
		"the kind":     {nil, read(kinds("vm", "sandbox")), ""},
		"another kind": {nil, read(kinds("vm", "container")), problem.CauseRequired},
		"too weak":     {nil, read(Needs{&vmhost.Requirement{AtLeast: vmhost.IsolationHardware}}), problem.CauseRequired},
		"cannot":       {nil, read(Needs{&vmhost.Requirement{Can: []vmhost.Ability{vmhost.AbilityTools}}}), problem.CauseRequired},
		"a list": {nil, func(a *Actions) error {
			_, err := a.ListFiles(t.Context(), "t", ListRequest{StatRequest: StatRequest{Needs: kinds("vm"), Path: "/work"}})
			return err
		}, problem.CauseRequired},
		"a stat": {nil, func(a *Actions) error {
			_, err := a.StatFile(t.Context(), "t", StatRequest{Needs: kinds("vm"), Path: "/work"})
			return err
		}, problem.CauseRequired},
		"a watch": {nil, func(a *Actions) error {
			return a.WatchFiles(t.Context(), "t", WatchRequest{Path: "/work", Requires: []string{"vm"}}, nil)
		}, problem.CauseRequired},
		"a watch here": {nil, func(a *Actions) error {
			return a.WatchFiles(t.Context(), "t", WatchRequest{Path: "/work", Requires: []string{"sandbox", "no-network"}}, nil)
		}, ""},
		"a fetch": {nil, func(a *Actions) error {
			_, err := a.Fetch(t.Context(), "t", FetchRequest{Needs: kinds("vm")})
			return err
		}, problem.CauseRequired},
		"a visit": {nil, func(a *Actions) error {
			_, err := a.Visit(t.Context(), "t", VisitRequest{Needs: kinds("vm")})
			return err
		}, problem.CauseRequired},
		"reads are free":      {only{"vm"}, read(Needs{}), ""},
		"files change here":   {only{"vm", "sandbox"}, write("/folders/a/b"), ""},
		"files change there":  {only{"vm"}, write("/folders/a/b"), problem.CauseFileRule},
		"by a detour":         {only{"vm"}, write("/work/../folders/a/b"), problem.CauseFileRule},
		"what is the task's":  {only{"vm"}, write("/work/folders/a"), ""},
		"a name like folders": {only{"vm"}, write("/folders2/a"), ""},
		"a fetch into": {only{"vm"}, func(a *Actions) error {
			_, err := a.Fetch(t.Context(), "t", FetchRequest{Into: "/folders/a/b"})
			return err
		}, problem.CauseFileRule},
		"a fetch elsewhere": {only{"vm"}, func(a *Actions) error { _, err := a.Fetch(t.Context(), "t", FetchRequest{Into: "/work/b"}); return err }, ""},
		"a picture into": {only{"vm"}, func(a *Actions) error {
			_, err := a.Visit(t.Context(), "t", VisitRequest{Steps: []wire.PageStep{{Do: wire.PageOpen}, {Into: "/work/x"}, {Into: "/folders/a/b"}}})
			return err
		}, problem.CauseFileRule},
	} {
		done := 0
		err := row.do(New(here(sandbox, &done), row.files))
		p := problem.From(err)
		switch {
		case row.cause == "" && (err != nil || done != 1):
			t.Errorf("%s: %v", name, err)
		case row.cause != "" && (p == nil || p.Code != problem.CodeRuntimeUnfit || p.Cause != row.cause || p.Params["runtime"] != "sandbox" || p.Params["task"] != "t" || done != 0):
			t.Errorf("%s: %+v %v, done %d times", name, p, err, done)
		}
	}
}

// Each request becomes an action within the task's roots, with bounds where it has none.
func TestRequests(t *testing.T) {
	var got wire.FileParams
	var data []byte
	info := wire.FileInfo{Path: "/work/a", Kind: wire.KindFile}
	a := New(place(func(_ context.Context, id string, a vmhost.Action) (vmhost.Observation, error) {
		got, data = *a.File, a.Data
		if id != "t" || a.Exec != nil || a.Tool != nil {
			t.Errorf("%q %+v", id, a)
		}
		return vmhost.Observation{File: &wire.FileResult{Info: &info, Data: []byte("x"), Unnamed: 2}}, nil
	}), only{})
	at := StatRequest{Path: "/work/a"}
	for name, row := range map[string]struct {
		do   func() error
		want wire.FileParams
	}{
		"stat": {func() error { i, err := a.StatFile(t.Context(), "t", at); return same(i, info, err) }, wire.FileParams{Op: wire.FileStat}},
		"list": {func() error {
			l, err := a.ListFiles(t.Context(), "t", ListRequest{StatRequest: at, Depth: 3})
			return same(l.Unnamed, 2, err)
		}, wire.FileParams{Op: wire.FileList, Depth: 3, Limit: usualEntries}},
		"read": {func() error {
			c, err := a.ReadFile(t.Context(), "t", ReadRequest{StatRequest: at, Offset: 5})
			return same(string(c.Data), "x", err)
		}, wire.FileParams{Op: wire.FileRead, Offset: 5, Length: usualLength}},
		"write": {func() error {
			i, err := a.WriteFile(t.Context(), "t", WriteRequest{StatRequest: at, Data: []byte("new"), Expect: "absent", Parents: true})
			return errors.Join(same(i, info, err), same(string(data), "new", nil))
		}, wire.FileParams{Op: wire.FileWrite, Expect: "absent", Parents: true}},
		"watch": {func() error {
			return a.WatchFiles(t.Context(), "t", WatchRequest{Path: "/work/a", Seconds: 2}, func(wire.FileChange) error { return nil })
		}, wire.FileParams{Op: wire.FileWatch, Limit: usualChanges, WaitMS: 2000}},
	} {
		if err := row.do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(got.Roots, []string{"/folders", "/work"}) || got.Path != "/work/a" {
			t.Errorf("%s: %+v", name, got)
		}
		got.Roots, got.Path, got.ID = nil, "", ""
		if got.Op != row.want.Op || got.Depth != row.want.Depth || got.Limit != row.want.Limit || got.Offset != row.want.Offset || got.Length != row.want.Length ||
			got.Expect != row.want.Expect || got.Parents != row.want.Parents || got.WaitMS != row.want.WaitMS {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, err := a.WriteFile(t.Context(), "t", WriteRequest{Data: make([]byte, wire.MaxFileData+1)}); problem.From(err).Code != problem.CodeFileTooLarge {
		t.Error(err)
	}
}

func same[T comparable](got, want T, err error) error {
	if err == nil && got != want {
		err = errors.New("it answers something else")
	}
	return err
}

// The web is reached with bounds where a request has none.
func TestWebRequests(t *testing.T) {
	var got vmhost.Action
	a := New(place(func(_ context.Context, _ string, a vmhost.Action) (vmhost.Observation, error) {
		got = a
		if a.Fetch != nil {
			return vmhost.Observation{Fetch: &wire.FetchResult{Data: []byte("x")}}, nil
		}
		return vmhost.Observation{}, &vmhost.FailedActionError{What: "page", ActFailure: wire.ActFailure{Code: wire.ActNoProgram}}
	}), only{})
	for _, tt := range []struct {
		r    FetchRequest
		want int64 // limit; 0 is refused
	}{
		{FetchRequest{URL: "u"}, wire.MaxInline}, {FetchRequest{URL: "u", Limit: 7}, 7}, {FetchRequest{URL: "u", Limit: wire.MaxInline + 1}, 0},
		{FetchRequest{URL: "u", Into: "/work/a"}, usualFetch}, {FetchRequest{URL: "u", Into: "/work/a", Limit: wire.MaxFetch}, wire.MaxFetch},
	} {
		f, err := a.Fetch(t.Context(), "t", tt.r)
		if tt.want == 0 {
			if problem.From(err).Code != problem.CodeBadRequest {
				t.Errorf("%+v: %v", tt.r, err)
			}
			continue
		}
		if p := got.Fetch; err != nil || string(f.Data) != "x" || p.Limit != tt.want || p.Into != tt.r.Into || p.StallMS != usualStall.Milliseconds() || !slices.Equal(p.Roots, roots()) {
			t.Errorf("%+v: %+v %v", tt.r, p, err)
		}
	}
	_, err := a.Visit(t.Context(), "t", VisitRequest{Steps: []wire.PageStep{{Do: wire.PageOpen}}})
	if p := problem.From(err); p.Code != problem.CodeAddOnMissing || p.Params["name"] != "browser" || got.Page.WaitMS != usualLoad.Milliseconds() {
		t.Errorf("%+v %+v", p, got.Page)
	}
}

// One that writes waits for another that writes the same file, and for nobody else.
func TestOneWriterAtATime(t *testing.T) {
	inside, let := make(chan string), make(chan struct{})
	a := New(place(func(_ context.Context, id string, _ vmhost.Action) (vmhost.Observation, error) {
		inside <- id
		<-let
		return vmhost.Observation{File: &wire.FileResult{Info: &wire.FileInfo{}}, Fetch: &wire.FetchResult{}, Page: &wire.PageResult{}}, nil
	}), only{})
	var all sync.WaitGroup
	at := StatRequest{Path: "/work/a"}
	write := func(ctx context.Context, id string) { _, _ = a.WriteFile(ctx, id, WriteRequest{StatRequest: at}) }
	all.Go(func() { write(t.Context(), "a") })
	<-inside
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := a.WriteFile(gone, "a", WriteRequest{StatRequest: at}); problem.From(err).Code != problem.CodeCancelled {
		t.Errorf("who waits and leaves: %v", err)
	}
	all.Go(func() { write(t.Context(), "a") })
	all.Go(func() { write(t.Context(), "b") })
	if id := <-inside; id != "b" {
		t.Errorf("%s writes beside a", id)
	}
	let <- struct{}{}
	let <- struct{}{}
	if id := <-inside; id != "a" {
		t.Errorf("%s is next", id)
	}
	for name, do := range map[string]func(){
		"a fetch": func() { _, _ = a.Fetch(t.Context(), "a", FetchRequest{Into: "/work/../work/a"}) },
		"a visit": func() {
			_, _ = a.Visit(t.Context(), "a", VisitRequest{Steps: []wire.PageStep{{Do: wire.PageOpen}, {Into: "/work/b"}, {Into: "/work/a"}, {Into: "/work/b"}}})
		},
	} {
		all.Go(do)
		select {
		case <-inside:
			t.Errorf("%s writes what is being written", name)
		case <-time.After(100 * time.Millisecond):
		}
		let <- struct{}{}
		<-inside
	}
	all.Go(func() { _, _ = a.WriteFile(t.Context(), "a", WriteRequest{StatRequest: StatRequest{Path: "/work/c"}}) })
	<-inside // beside a visit
	let <- struct{}{}
	let <- struct{}{}
	all.Wait()
	if len(a.writing) != 0 {
		t.Errorf("%d turns are kept", len(a.writing))
	}
}

// Who watches ends it by an error, which it gets back.
func TestWatchIsStopped(t *testing.T) {
	a := New(place(func(ctx context.Context, _ string, a vmhost.Action) (vmhost.Observation, error) {
		for ctx.Err() == nil {
			a.OnChange(wire.FileChange{What: wire.ChangeReady})
		}
		return vmhost.Observation{}, context.Cause(ctx)
	}), only{})
	enough, n := errors.New("enough"), 0
	err := a.WatchFiles(t.Context(), "t", WatchRequest{}, func(wire.FileChange) error {
		if n++; n == 3 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 3 {
		t.Errorf("%v after %d", err, n)
	}
	if err := a.WatchFiles(t.Context(), "t", WatchRequest{Requires: []string{"vm", "nonsense"}}, nil); problem.From(err).Code != problem.CodeBadRequest {
		t.Errorf("of a place that there is not: %v", err)
	}
}

// What went wrong in the place is a problem with its code.
func TestFailures(t *testing.T) {
	for code, want := range map[string]string{
		wire.ActMissing: problem.CodeFileMissing, wire.ActChanged: problem.CodeFileChanged, wire.ActOutside: problem.CodeFileOutside, wire.ActKind: problem.CodeFileKind,
		wire.ActTooLarge: problem.CodeFileTooLarge, wire.ActDenied: problem.CodePermission, wire.ActFull: problem.CodeDiskFull, wire.ActFailed: problem.CodeToolFailed, "new": problem.CodeToolFailed,
		wire.ActOnline: problem.CodeInputOnline, wire.ActName: problem.CodeBadRequest, wire.ActNoElement: problem.CodeToolFailed, wire.ActTooMuch: problem.CodeToolFailed,
	} {
		a := New(place(func(context.Context, string, vmhost.Action) (vmhost.Observation, error) {
			return vmhost.Observation{}, &vmhost.FailedActionError{What: "read", ActFailure: wire.ActFailure{Code: code, Path: "/x", SHA256: "absent"}}
		}), only{})
		_, err := a.ReadFile(t.Context(), "t", ReadRequest{})
		if p := problem.From(err); p.Code != want || p.Severity != problem.Failed || p.Params["path"] != "/x" || p.Params["sha256"] != "absent" {
			t.Errorf("%s: %+v", code, p)
		}
	}
}
