package remotes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/audit/audittest"
	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/remote"
)

// Only a computer that the person added is connected to, whatever a name looks like.
func TestPiworkOfWhom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, []byte(`{"v":1,"newer":true,"remotes":[{"name":"lab","address":"anna@lab","program":"~/piwork"},{"name":"big","address":"x","cluster":{"image":"debian"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, cause := range map[string]string{"": "unknown-remote", "-oProxyCommand=touch x": "unknown-remote", "anna@lab": "unknown-remote", "lab ": "unknown-remote", "big": CauseCluster} {
		var p *problem.Problem
		if _, err := r.Piwork(t.Context(), name); !errors.As(err, &p) || p.Cause != cause {
			t.Errorf("%q: %v", name, err)
		}
	}
	all, err := r.Remotes(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v %v", all, err)
	}
	if c, err := all[0].Reach(); err != nil || c.Program != "~/piwork" || c.Target.String() != "anna@lab" {
		t.Errorf("%+v %v", c, err)
	}
	if err := r.RemoveRemote(t.Context(), "lab"); err == nil {
		t.Error("the list is changed beside its controller")
	}
	if r, err := Read(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Errorf("no file: %v", err)
	} else if all, _ := r.Remotes(t.Context()); len(all) > 0 {
		t.Errorf("%+v", all)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil {
		t.Error("a damaged file has no computers")
	}
}

// A program is a path, from / or ~/.
func TestProgramOfAComputer(t *testing.T) {
	for _, program := range []string{"piwork", "../x", "-x", "/a\nb", "~anna/piwork", "/\x1b[2J"} {
		var p *problem.Problem
		if _, err := New(&list{}, audittest.Open(t)).AddRemote(t.Context(), RemoteAddition{Name: "x", Address: "lab", Program: program}); !errors.As(err, &p) || p.Params["field"] != "program" {
			t.Errorf("%q: %v", program, err)
		}
	}
}

// What is wrong with the piwork there has its cause; all else is a problem of the way there.
func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		err         error
		code, cause string
	}{
		{&remote.ProgramError{Why: remote.ProgramMissing}, problem.CodeRemotePiwork, remote.ProgramMissing},
		{fmt.Errorf("get: %w", &remote.ProgramError{Why: remote.ProgramOld, Detail: "x"}), problem.CodeRemotePiwork, remote.ProgramOld},
		{&vmhost.FailedError{Reason: vmhost.ReasonHostKeyChanged}, problem.CodeVMFailed, string(vmhost.ReasonHostKeyChanged)},
		{errors.New("other"), problem.CodeUnknown, ""},
	} {
		if p := Explain("lab", tt.err); p.Code != tt.code || p.Cause != tt.cause || tt.code == problem.CodeRemotePiwork && p.Params["name"] != "lab" {
			t.Errorf("%v: %+v", tt.err, p)
		}
	}
}
