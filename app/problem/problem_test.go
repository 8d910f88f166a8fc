package problem_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"

	"piwork/app/gateway"
	"piwork/app/gateway/keys"
	"piwork/app/gateway/provider"
	"piwork/app/problem"
	"piwork/app/relocate"
	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/tools"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/update"
	"piwork/vmhost"
	"piwork/vmhost/conversation"
	"piwork/vmhost/qemu"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/review"
	"piwork/vmhost/wire"
)

var errCause = errors.New("cause")

// errorsOf names every typed error and every error value that the rooms below
// export, with the code that it must become.
var errorsOf = map[string][]struct {
	name string
	err  error
	code string
}{
	"app/gateway": {
		{"Error", &gateway.Error{Code: gateway.CodeLimited, Provider: "anthropic", Host: "a.example", Status: 429, Err: errCause}, "model-failed"},
		{"Error", &gateway.Error{Code: gateway.CodeNoKey, Provider: "anthropic", Err: keys.ErrNotFound}, "model-failed"},
		{"Error", &gateway.Error{Code: gateway.CodeKeyStore, Err: keys.ErrLocked}, "keys-locked"},
	},
	"app/gateway/keys": {
		{"InvalidError", &keys.InvalidError{Provider: "x", What: "short"}, "key-invalid"},
		{"LoginError", &keys.LoginError{Provider: "anthropic", Reason: keys.LoginWrong}, "login-failed"},
		{"OAuthError", &keys.OAuthError{Provider: "anthropic", Status: 400, Code: "invalid_grant"}, "login-failed"},
		{"ErrNotFound", keys.ErrNotFound, "not-found"},
		{"ErrReadOnly", keys.ErrReadOnly, "keychain"},
		{"ErrNoKeychain", keys.ErrNoKeychain, "keychain"},
		{"ErrTooLong", keys.ErrTooLong, "keychain"},
		{"ErrPassphrase", keys.ErrPassphrase, "passphrase"},
		{"ErrShort", keys.ErrShort, "passphrase"},
		{"ErrLocked", keys.ErrLocked, "keys-locked"},
		{"ErrDamaged", keys.ErrDamaged, "keychain"},
		{"ErrList", keys.ErrList, "keychain"},
		{"ErrEntry", keys.ErrEntry, "keychain"},
	},
	"app/gateway/provider": {
		{"AddressError", &provider.AddressError{Provider: "x", Reason: provider.AddressPlain}, "key-invalid"},
		{"RefusedError", &provider.RefusedError{Reason: "path"}, "model-failed"},
	},
	"app/relocate": {
		{"RefusedError", &relocate.RefusedError{Code: relocate.RefusedInside, Path: "/x"}, "move-refused"},
		{"RoomError", &relocate.RoomError{Dir: "/x", Need: 5, Free: 1}, "disk-full"},
		{"GoneError", &relocate.GoneError{Dir: "/x", Err: os.ErrNotExist}, "place-gone"},
	},
	"pack": {
		{"VerifyError", &spec.VerifyError{Kind: spec.KindFlippedByte, File: "guest/vmlinux"}, "pack-invalid"},
		{"AddOnError", &spec.AddOnError{Name: "media", Err: &spec.VerifyError{Kind: spec.KindFlippedByte}}, "pack-invalid"},
		{"SpaceError", &spec.SpaceError{Dir: "/x", Need: 5, Free: 1}, "disk-full"},
		{"ErrBusy", spec.ErrBusy, "pack-busy"},
		{"ErrNotInstalled", spec.ErrNotInstalled, "pack-missing"},
		{"ErrNoRole", spec.ErrNoRole, "pack-invalid"},
		{"ErrCurrent", spec.ErrCurrent, "pack-in-use"},
		{"ErrInUse", pack.ErrInUse, "pack-in-use"},
		{"ErrIncomplete", spec.ErrIncomplete, "download-failed"},
		{"ErrNotRebuilt", pack.ErrNotRebuilt, "bundle-incomplete"},
	},
	"pack/trust": {
		{"ErrMalformed", trust.ErrMalformed, "pack-invalid"},
		{"ErrRevoked", trust.ErrRevoked, "key-revoked"},
		{"ErrNoMatch", trust.ErrNoMatch, "pack-invalid"},
		{"ErrNoChannel", trust.ErrNoChannel, "update-off"},
	},
	"pack/trust/channel": {
		{"Error", &channel.Error{Kind: channel.KindRollback, File: "timestamp.json", Err: errCause}, "update-invalid"},
		{"ErrNothingKnown", channel.ErrNothingKnown, "update-offline"},
	},
	"pack/update": {
		{"Error", &update.Error{Code: update.CodeStalled, Server: "a.example", Err: errCause}, "download-failed"},
	},
	"vmhost": {
		{"UnsupportedError", &vmhost.UnsupportedError{Runtime: "vm", What: "network policy restricted"}, "unsupported"},
		{"NotMounted", vmhost.NotMounted("sandbox", "open /dev/fuse: permission denied"), "unsupported"},
		{"FailedError", &vmhost.FailedError{Runtime: "vm", Reason: vmhost.ReasonPanic, Err: errCause}, "vm-failed"},
		{"UnsavedError", &vmhost.UnsavedError{Runtime: "container", Paths: []string{"Pictures/a.jpg", "b"}, Err: errCause}, "share-failed"},
		{"RequirementError", &vmhost.RequirementError{Runtime: "sandbox", Lacks: vmhost.LacksKind, Kinds: []string{"vm"}}, "runtime-unfit"},
		{"TooLargeError", &vmhost.TooLargeError{Runtime: "container", Files: 3, MaxFiles: 2, MaxBytes: 1}, "runtime-unfit"},
		{"FailedActionError", &vmhost.FailedActionError{What: wire.FileWrite, ActFailure: wire.ActFailure{Code: wire.ActChanged, Path: "/work/a", Detail: errCause.Error()}}, "file-changed"},
		{"ActionError", &vmhost.ActionError{Code: vmhost.ActionStart, What: "ls"}, "start-failed"},
		{"ErrNotReady", vmhost.ErrNotReady, "vm-failed"},
	},
	"vmhost/qemu": {
		{"ProofError", &qemu.ProofError{Accel: qemu.AccelKVM, Stage: qemu.StageFirstByte, Elapsed: time.Second, Err: errCause}, "accel-unavailable"},
		{"StartError", &qemu.StartError{Output: "cannot open", Err: errCause}, "vm-failed"},
		{"ExitError", &qemu.ExitError{Status: "exit status 1"}, "vm-failed"},
		{"CommandError", &qemu.CommandError{Command: "quit"}, "vm-failed"},
		{"ErrMonitorClosed", qemu.ErrMonitorClosed, "vm-failed"},
		{"ErrMonitorBusy", qemu.ErrMonitorBusy, "vm-failed"},
		{"ErrNoTemplates", qemu.ErrNoTemplates, "vm-failed"},
		{"ErrBadState", qemu.ErrBadState, "vm-failed"},
		{"ErrOtherMachine", qemu.ErrOtherMachine, "vm-failed"},
		{"ErrUnseenMemory", qemu.ErrUnseenMemory, "vm-failed"},
		{"ErrNoFolderDevice", qemu.ErrNoFolderDevice, "vm-failed"},
		{"ErrSilentDevice", qemu.ErrSilentDevice, "vm-failed"},
		{"ErrNoPlace", qemu.ErrNoPlace, "vm-failed"},
		{"ErrNotQCOW2", qemu.ErrNotQCOW2, "pack-invalid"},
	},
	"vmhost/share": {
		{"RefusedError", &share.RefusedError{Code: share.RefusedHome, Path: "/home/kim"}, "folder-refused"},
		{"ErrClosed", share.ErrClosed, "share-failed"},
		{"ErrMoved", share.ErrMoved, "folder-refused"},
		{"ErrReadOnly", share.ErrReadOnly, "output-denied"},
		{"ErrTooManyOpen", share.ErrTooManyOpen, "share-failed"},
		{"ErrGone", share.ErrGone, "share-failed"},
		{"ErrDuplicate", share.ErrDuplicate, "share-failed"},
		{"ErrFetch", share.ErrFetch, "input-online"},
		{"ErrStub", share.ErrStub, "input-online"},
	},
	"vmhost/share/journal": {
		{"ErrClosed", journal.ErrClosed, "share-failed"},
		{"ErrFull", journal.ErrFull, "disk-full"},
		{"ErrLocked", journal.ErrLocked, "folder-silent"},
		{"ErrBusy", journal.ErrBusy, "folder-silent"},
		{"ErrLater", journal.ErrLater, "shutting-down"},
		{"ErrUnfinished", journal.ErrUnfinished, "move-refused"},
		{"ErrRaced", journal.ErrRaced, "share-failed"},
		{"ErrSpecial", journal.ErrSpecial, "share-failed"},
		{"ErrUnknownChange", journal.ErrUnknownChange, "not-found"},
		{"ErrNoContent", journal.ErrNoContent, "not-found"},
		{"ErrForeign", journal.ErrForeign, "record-damaged"},
		{"ErrChangedSince", journal.ErrChangedSince, "not-found"},
		{"ErrNoImage", journal.ErrNoImage, "not-found"},
	},
	"vmhost/share/review": {
		{"ErrClosed", review.ErrClosed, "share-failed"},
		{"ErrDamaged", review.ErrDamaged, "record-damaged"},
		{"ErrFull", review.ErrFull, "disk-full"},
		{"ErrLocked", review.ErrLocked, "folder-silent"},
		{"ErrMixed", review.ErrMixed, "changed-since"},
	},
	"vmhost/conversation": {
		{"ErrOver", conversation.ErrOver, "vm-failed"},
		{"ProtocolError", &conversation.ProtocolError{Err: errCause}, "vm-failed"},
		{"RefusedError", &conversation.RefusedError{Reason: vmhost.ReasonVersion, Err: errCause}, "vm-failed"},
	},
	"vmhost/wire": {
		{"InvalidError", &wire.InvalidError{Field: "argv", Reason: "empty"}, "bad-request"},
		{"ErrLineTooLong", wire.ErrLineTooLong, "vm-failed"},
	},
}

func TestEveryErrorOfTheRoomsBelow(t *testing.T) {
	for room, rows := range errorsOf {
		var have []string
		for _, r := range rows {
			have = append(have, r.name)
			for _, err := range []error{r.err, fmt.Errorf("do something: %w", r.err), errors.Join(errCause, r.err)} {
				p := problem.From(err)
				if p.Code != r.code {
					t.Errorf("%s.%s is %q, want %q", room, r.name, p.Code, r.code)
				}
				if !strings.Contains(p.Details, r.err.Error()) {
					t.Errorf("%s.%s: no evidence in %q", room, r.name, p.Details)
				}
				if p.Fix == nil {
					t.Errorf("%s.%s: fix is null", room, r.name)
				}
			}
		}
		for _, name := range exportedErrors(t, room) {
			if !slices.Contains(have, name) {
				t.Errorf("%s.%s has no row here", room, name)
			}
		}
	}
}

// exportedErrors reads from the source which errors a room exports.
func exportedErrors(t *testing.T, room string) (out []string) {
	t.Helper()
	eachFile(t, room, func(f *ast.File) {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR {
						for _, n := range v.Names {
							if strings.HasPrefix(n.Name, "Err") {
								out = append(out, n.Name)
							}
						}
					}
				}
			case *ast.FuncDecl:
				if d.Recv == nil || d.Name.Name != "Error" {
					continue
				}
				typ := d.Recv.List[0].Type
				if star, ok := typ.(*ast.StarExpr); ok {
					typ = star.X
				}
				if id := typ.(*ast.Ident); id.IsExported() {
					out = append(out, id.Name)
				}
			}
		}
	})
	if len(out) == 0 {
		t.Errorf("no error found in %s", room)
	}
	return out
}

func eachFile(t *testing.T, room string, fn func(*ast.File)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(room), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		fn(f)
	}
}

// constants reads the values of the constants of a string type.
func constants(t *testing.T, room, typ string) (out []string) {
	t.Helper()
	eachFile(t, room, func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == typ {
				for _, value := range v.Values {
					if lit, ok := value.(*ast.BasicLit); ok {
						s, err := strconv.Unquote(lit.Value)
						if err != nil {
							t.Fatal(err)
						}
						out = append(out, s)
					}
				}
			}
			return true
		})
	})
	if len(out) < 3 {
		t.Fatalf("only %q in %s.%s", out, room, typ)
	}
	return out
}

// Every kind, reason and stage that the rooms below know is known here.
func TestEveryKind(t *testing.T) {
	for _, kind := range constants(t, "pack/spec", "Kind") {
		err := fmt.Errorf("install: %w", &spec.VerifyError{Kind: spec.Kind(kind)})
		p := problem.From(err)
		if p.Code != problem.CodePackInvalid || p.Cause != kind || problem.ClassOf(p.Code).ExitCode() != 5 {
			t.Errorf("spec.Kind %q: %+v", kind, p)
		}
		if !problem.KnownPackKind(kind) {
			t.Errorf("spec.Kind %q is in no table", kind)
		}
		in := problem.Installed(err)
		if !slices.Contains([]string{problem.CodePackCorrupt, problem.CodePackTooNew, problem.CodeKeyRevoked}, in.Code) || in.Cause != kind || in.Severity != problem.Blocking {
			t.Errorf("installed, %q: %+v", kind, in)
		}
	}
	for _, kind := range constants(t, "pack/trust/channel", "Kind") {
		p := problem.From(&channel.Error{Kind: channel.Kind(kind), File: "timestamp.json", Err: errCause})
		if p.Cause != kind || !problem.KnownChannelKind(kind) || len(p.Fix) == 0 {
			t.Errorf("channel.Kind %q: %+v", kind, p)
		}
	}
	for _, code := range constants(t, "pack/update", "Code") {
		failed := &update.Error{Code: update.Code(code), Server: "a.example", Proxy: "p:1", Status: 502, Kinds: []string{"NTLM"}, Err: errCause}
		p := problem.From(fmt.Errorf("get: %w", failed))
		if p.Cause != code || !problem.KnownTransferCode(code) || len(p.Fix) == 0 || p.Params["host"] != "a.example" || p.Params["status"] != 502 {
			t.Errorf("update.Code %q: %+v", code, p)
		}
		// Where the channel itself could not be fetched, the reason is the transfer's.
		in := problem.From(&channel.Error{Kind: channel.KindUnreachable, Err: failed})
		if in.Cause != code || in.Code == problem.CodeDownloadFailed || in.Code == problem.CodeUnknown {
			t.Errorf("update.Code %q of a channel: %+v", code, in)
		}
	}
	for _, reason := range constants(t, "vmhost", "Reason") {
		p := problem.From(&vmhost.FailedError{Reason: vmhost.Reason(reason)})
		if p.Cause != reason || !problem.KnownReason(reason) {
			t.Errorf("vmhost.Reason %q: %+v", reason, p)
		}
	}
	for reason, want := range map[vmhost.Reason]string{ // what helps
		vmhost.ReasonSandboxMissing:  "install-bwrap show-details",
		vmhost.ReasonSandboxDenied:   "show-details",
		vmhost.ReasonEngineMissing:   "start-again start-elsewhere show-details",
		vmhost.ReasonEngineLost:      "start-again start-elsewhere show-details",
		vmhost.ReasonSandboxAppArmor: "allow-sandbox kernel.apparmor_restrict_unprivileged_userns=0 show-details",
		vmhost.ReasonSandboxClone:    "allow-sandbox kernel.unprivileged_userns_clone=1 show-details",
		vmhost.ReasonSandboxMax:      "allow-sandbox user.max_user_namespaces=28633 show-details",
	} {
		var got []string
		for _, f := range problem.From(&vmhost.FailedError{Reason: reason}).Fix {
			got = append(got, f.Code)
			if words := strings.Fields(f.Command); len(words) > 1 {
				got = append(got, words[1])
			}
		}
		if said := strings.Join(got, " "); said != want {
			t.Errorf("%s: %s, not %s", reason, said, want)
		}
	}
	for _, code := range constants(t, "vmhost", "ActionCode") {
		p := problem.From(&vmhost.ActionError{Code: vmhost.ActionCode(code)})
		if p.Cause != code || !problem.KnownActionCode(code) {
			t.Errorf("vmhost.ActionCode %q: %+v", code, p)
		}
	}
	for _, stage := range constants(t, "vmhost/qemu", "Stage") {
		p := problem.From(&qemu.ProofError{Stage: qemu.Stage(stage), Err: errCause, Output: "the end"})
		if p.Cause != stage || !strings.HasSuffix(p.Details, "the end") {
			t.Errorf("qemu.Stage %q: %+v", stage, p)
		}
	}
	for _, code := range constants(t, "vmhost/share", "RefusedCode") {
		p := problem.From(&share.RefusedError{Code: share.RefusedCode(code), Path: "/x"})
		if p.Cause != code || p.Params["path"] != "/x" || len(p.Fix) == 0 || problem.ClassOf(p.Code).ExitCode() != 4 {
			t.Errorf("share.RefusedCode %q: %+v", code, p)
		}
	}
	for _, code := range []jrpc2.Code{
		wire.CodeVersion, wire.CodeNotFound, wire.CodeExists, wire.CodeInvalid, wire.CodeStart,
		wire.CodeMount, wire.CodeUnknownOp, wire.CodeBusy, wire.CodeGuestFault,
	} {
		if p := problem.From(fmt.Errorf("call: %w", &jrpc2.Error{Code: code})); p.Code == problem.CodeUnknown {
			t.Errorf("wire code %d is unknown", code)
		}
	}
	for _, ended := range []string{wire.EndedTimeout, wire.EndedOutputLimit, wire.EndedCancelled, wire.EndedOutOfMemory, wire.EndedCPULimit, wire.EndedIOLimit} {
		if p := problem.FromEnd(wire.ExecResult{Ended: ended, ExitCode: 137}); p == nil || p.Code == problem.CodeToolFailed {
			t.Errorf("end %q: %+v", ended, p)
		}
	}
}

func TestOSErrors(t *testing.T) {
	rows := []struct {
		err  error
		code string
		path string
	}{
		{syscall.ENOSPC, "disk-full", ""},
		{syscall.EDQUOT, "disk-full", ""},
		{&fs.PathError{Op: "write", Path: "/x/y", Err: syscall.EROFS}, "output-denied", "/x/y"},
		{&fs.PathError{Op: "write", Path: "/x/y", Err: syscall.ENOSPC}, "disk-full", "/x/y"},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.ENOSPC}, "disk-full", ""},
		{syscall.EACCES, "permission", ""},
		{&fs.PathError{Op: "open", Path: "/x", Err: syscall.EPERM}, "permission", "/x"},
		{context.Canceled, "cancelled", ""},
		{context.DeadlineExceeded, "timeout", ""},
		{fs.ErrNotExist, "unknown", ""},
		{errors.New("no idea"), "unknown", ""},
	}
	for _, r := range rows {
		p := problem.From(fmt.Errorf("do: %w", r.err))
		path, _ := p.Params["path"].(string)
		if p.Code != r.code || path != r.path || !strings.HasPrefix(p.Details, "do: ") {
			t.Errorf("%v: %+v", r.err, p)
		}
	}
	if problem.From(nil) != nil {
		t.Error("no error is a problem")
	}
	own := problem.New("x").With("a", 1)
	if problem.From(fmt.Errorf("wrapped: %w", own)) != own {
		t.Error("a problem does not stay itself")
	}
	// The room's own word counts, not what the system said below it.
	if p := problem.From(&vmhost.FailedError{Reason: vmhost.ReasonPanic, Err: syscall.ENOSPC}); p.Code != "vm-failed" {
		t.Errorf("%+v", p)
	}
}

func TestFromTool(t *testing.T) {
	p := problem.FromTool(wire.ToolProblem{Code: "input-broken", Path: "/folders/F/a b.jpg", Detail: "bad"})
	if p.Code != "input-broken" || p.Severity != problem.Warning || p.Params["name"] != "a b.jpg" || p.Details != "bad" {
		t.Errorf("%+v", p)
	}
	p = problem.FromTool(wire.ToolProblem{Code: "pack-corrupt"}) // a code of ours that no tool may use
	if p.Code != problem.CodeToolFailed || p.Cause != "pack-corrupt" {
		t.Errorf("%+v", p)
	}
	if p := problem.FromTool(wire.ToolProblem{Code: "disk-full"}); p.Severity != problem.Failed || p.Fix[0].Code != problem.FixFreeSpace {
		t.Errorf("%+v", p)
	}
}

// That an answer is full is a warning, of whatever it is about.
func TestMoreResults(t *testing.T) {
	for _, path := range []string{"", "/folders/a/b"} {
		p := problem.FromTool(wire.ToolProblem{Code: tools.MoreResults, Path: path})
		if p.Code != problem.CodeToolFailed || p.Cause != tools.MoreResults || p.Severity != problem.Warning {
			t.Errorf("%q: %+v", path, p)
		}
	}
}

// Why an action could not be done is never unknown.
func TestEveryActCode(t *testing.T) {
	n := 0
	f, err := parser.ParseFile(token.NewFileSet(), "../../vmhost/wire/act.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			lit, ok := v.Values[0].(*ast.BasicLit)
			if !ok || !strings.HasPrefix(v.Names[0].Name, "Act") || v.Names[0].Name == "ActArg" || v.Names[0].Name == "ActionProgram" {
				continue
			}
			code, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if p := problem.From(&vmhost.FailedActionError{What: wire.FileRead, ActFailure: wire.ActFailure{Code: code}}); p.Code == problem.CodeUnknown {
				t.Errorf("%s: %+v", code, p)
			}
		}
	}
	if n != 14 {
		t.Errorf("only %d codes", n)
	}
}

// Every code that a tool may report is known.
func TestEveryToolCode(t *testing.T) {
	n := 0
	f, err := parser.ParseFile(token.NewFileSet(), "../../pack/tools/problem.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			lit, ok := v.Values[0].(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || v.Names[0].Name == "MoreResults" { // that one is an invitation to ask again
				continue
			}
			code, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if p := problem.FromTool(wire.ToolProblem{Code: code, Path: "/x"}); p.Code != code || len(p.Fix) == 0 {
				t.Errorf("%s: %+v", code, p)
			}
		}
	}
	if n < 12 {
		t.Errorf("only %d codes", n)
	}
}

func TestFromEnd(t *testing.T) {
	if p := problem.FromEnd(wire.ExecResult{}); p != nil {
		t.Errorf("%+v", p)
	}
	if p := problem.FromEnd(wire.ExecResult{ExitCode: 2}); p.Code != problem.CodeExitStatus || p.Params["exitCode"] != 2 {
		t.Errorf("%+v", p)
	}
	if p := problem.FromEnd(wire.ExecResult{ExitCode: 139, Signal: 11}); p.Params["signal"] != 11 {
		t.Errorf("%+v", p)
	}
	if p := problem.FromEnd(wire.ExecResult{Ended: "haunted"}); p.Code != problem.CodeToolFailed {
		t.Errorf("%+v", p)
	}
}

func TestEvidenceIsBounded(t *testing.T) {
	p := problem.From(&vmhost.FailedError{Reason: vmhost.ReasonPanic, Detail: strings.Repeat("ä\xff", 1<<20) + "the end"})
	if len(p.Details) > 16<<10 || !strings.HasSuffix(p.Details, "the end") {
		t.Errorf("%d bytes", len(p.Details))
	}
}

// Each code has one class at most, and exit codes are those of the design.
func TestClasses(t *testing.T) {
	rows := map[string]int{
		"pack-missing": 3, "pack-corrupt": 3, "accel-unavailable": 3, "boot-failed": 3,
		"pack-invalid": 5, "changed-since": 6, "output-exists": 6, "folder-refused": 4, "denied": 4, "undo-waits": 6,
		"bad-request": 2, "not-found": 2, "cancelled": 130, "disk-full": 1, "unknown": 1, "interrupted": 1, "no-such-code": 1,
	}
	for code, exit := range rows {
		if got := problem.ClassOf(code).ExitCode(); got != exit {
			t.Errorf("%s: %d, want %d", code, got, exit)
		}
	}
}

// What is in the way for a moment is a conflict, whatever the code says of other causes.
func TestClassesByCause(t *testing.T) {
	for _, tt := range []struct {
		p    *problem.Problem
		want problem.Class
	}{
		{problem.New(problem.CodePolicyChanged), problem.ClassConflict},
		{problem.New(problem.CodeMoveRefused).By("busy"), problem.ClassConflict},
		{problem.New(problem.CodeMoveRefused).By("network"), problem.ClassDenied},
		{problem.BadRequest("scope", "x").By("decided"), problem.ClassConflict}, {problem.BadRequest("name", "x").By("saved-exists"), problem.ClassConflict},
		{problem.BadRequest("scope", "x"), problem.ClassUsage},
		{problem.New(problem.CodeUnsupported).By("open"), problem.ClassFailed},
	} {
		if got := tt.p.Class(); got != tt.want {
			t.Errorf("%s by %q: %v, want %v", tt.p.Code, tt.p.Cause, got, tt.want)
		}
	}
}

// A file is written where there is none, or another one, in a folder that is there.
func TestCheckOutput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.zip")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]string{
		file: {}, filepath.Join(dir, "b.zip"): {}, dir: {problem.CodeOutputExists, "kind"},
		filepath.Join(dir, "none", "a.zip"): {problem.CodeOutputDenied, "missing"},
	} {
		var got [2]string
		if p := problem.From(problem.CheckOutput(path)); p != nil {
			got = [2]string{p.Code, p.Cause}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// Everything that is blocking has a way out.
func TestBlockingProblemsHaveAFix(t *testing.T) {
	for _, code := range codes(t) {
		p := problem.New(code)
		if p.Severity == problem.Blocking && len(p.Fix) == 0 {
			t.Errorf("%s has no fix", code)
		}
		if problem.ClassOf(code) == problem.ClassSetup && p.Severity != problem.Blocking {
			t.Errorf("%s is of the computer and does not block", code)
		}
	}
}

// codes reads all codes from the source.
func codes(t *testing.T) (out []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Code") {
			s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(out, s) {
				t.Errorf("the code %q stands for two things", s)
			}
			out = append(out, s)
		}
		return true
	})
	if len(out) < 40 {
		t.Fatalf("only %d codes", len(out))
	}
	return out
}

// A damaged add-on is named, a damaged runtime beside it comes first.
func TestDamagedAddOnIsNamed(t *testing.T) {
	base := &spec.VerifyError{Kind: spec.KindFlippedByte, File: "qemu/bin/qemu"}
	addOn := &spec.AddOnError{Name: "media", Err: &spec.VerifyError{Kind: spec.KindFlippedByte, File: "guest/media.img"}}
	for name, c := range map[string]struct {
		err  error
		want any
	}{
		"the add-on":  {addOn, "media"},
		"the runtime": {base, nil},
		"both":        {errors.Join(base, addOn), nil},
	} {
		if p := problem.Installed(c.err); p.Code != problem.CodePackCorrupt || p.Params["name"] != c.want {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// A download that is not what was signed is to be fetched again: its VerifyError is no reason to
// look for another copy of the pack.
func TestSpoiltDownloadIsFetchedAgain(t *testing.T) {
	chunk := &spec.VerifyError{Kind: spec.KindFlippedByte, File: "guest/base.img"}
	for _, code := range []update.Code{update.CodeWrongContent, update.CodeChanged} {
		p := problem.From(fmt.Errorf("fetch x: %w", &update.Error{Code: code, Server: "a.example", Err: chunk}))
		if p.Code != problem.CodeDownloadInvalid || p.Cause != string(code) || p.Fix[0].Code != problem.FixUpdateNow || !strings.Contains(p.Details, "guest/base.img") {
			t.Errorf("%s: %+v", code, p)
		}
	}
	full := &update.Error{Code: update.CodeDiskFull, Err: &spec.SpaceError{Dir: "/x", Need: 5, Free: 1}}
	if p := problem.From(full); p.Code != problem.CodeDiskFull || p.Params["path"] != "/x" || p.Params["needBytes"] != uint64(5) || p.Params["freeBytes"] != uint64(1) {
		t.Errorf("a full disk: %+v", p)
	}
}
