package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/problem"
	"piwork/app/setup/elevate"
	"piwork/pack/spec"
	"piwork/vmhost/qemu"
)

// fake is a computer.
type fake struct {
	packErr   error
	verifyErr error
	proveErr  map[qemu.Accel]error
	facts     Facts
	slow      string
	os, arch  string
	guest     string // "" is x86_64

	verified []bool // full or not
	proved   []string
}

func (f *fake) setup() *Setup {
	if f.os == "" {
		f.os, f.arch = "linux", "amd64"
	}
	return New(Options{
		Version: "1.2.3", OS: f.os, Arch: f.arch,
		Pack: func(context.Context) (Pack, error) {
			if f.packErr != nil {
				return Pack{}, f.packErr
			}
			return Pack{
				State: PackState{Version: "0.1.0", Developer: true, Dir: "/pack"},
				Image: qemu.Image{ID: "img", Arch: cmp.Or(f.guest, "x86_64")},
				Verify: func(_ context.Context, full bool) error {
					f.verified = append(f.verified, full)
					return f.verifyErr
				},
			}, nil
		},
		Prove: func(ctx context.Context, _ qemu.Image, accel qemu.Accel, fresh bool) (qemu.Proof, error) {
			f.proved = append(f.proved, fmt.Sprint(accel, fresh))
			if err := f.proveErr[accel]; err != nil {
				return qemu.Proof{}, err
			}
			return qemu.Proof{Accel: accel, CPU: "max", Ready: 1500 * time.Millisecond}, ctx.Err()
		},
		Slow: func() string { return f.slow },
		Look: func() Facts { return f.facts },
		System: elevate.System{
			OS: f.os, Ask: map[string]string{"linux": "/usr/bin/pkexec", "windows": "powershell.exe"}[f.os],
			Find: func(name string) string { return "/usr/sbin/" + name },
		},
		Account: "anna",
	})
}

func hangs(a qemu.Accel) error {
	return &qemu.ProofError{Accel: a, Stage: qemu.StageFirstByte, Elapsed: 2 * time.Second, Deadline: 1600 * time.Millisecond, Output: "silence", Err: errors.New("no byte")}
}

var (
	works   = Facts{LinuxFacts: LinuxFacts{Path: "/dev/kvm", Device: DeviceWorks, Module: Yes}, Flag: "vmx", Offered: Yes, Capable: Yes, Guest: No}
	missing = Facts{LinuxFacts: LinuxFacts{Path: "/dev/kvm", Device: DeviceMissing, DeviceErr: fs.ErrNotExist, Module: No, HasKernel: Yes, HasModule: Yes}, Flag: "svm", Offered: Yes, Capable: Yes, Guest: No}
	denied  = Facts{LinuxFacts: LinuxFacts{Path: "/dev/kvm", Device: DeviceDenied, DeviceErr: fs.ErrPermission, Module: Yes, Group: "kvm", Member: No}, Flag: "vmx", Offered: Yes, Capable: Yes, Guest: No}
	off     = Facts{LinuxFacts: LinuxFacts{Path: "/dev/kvm", Device: DeviceMissing, DeviceErr: fs.ErrNotExist}, Offered: No, Capable: Yes, Firmware: No, Guest: No, Vendor: "intel", Maker: "lenovo"}
)

func TestCheck(t *testing.T) {
	kvmHangs := map[qemu.Accel]error{qemu.AccelKVM: hangs(qemu.AccelKVM)}
	with := func(f Facts, change func(*Facts)) Facts { change(&f); return f }
	rows := []struct {
		name     string
		f        fake
		ask      Ask
		ready    bool
		kind     string
		problems []string // "code/cause/first fix", in order
		checks   string
	}{
		{"all is well", fake{facts: works}, Ask{}, true, "kvm", nil,
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed accel-boot=passed"},
		{"no pack", fake{packErr: ErrNoPack, facts: denied}, Ask{}, false, "", []string{"pack-missing/pack-missing/install-pack", "accel-unavailable/kvm-permission/kvm-group"},
			"pack-installed=failed pack-verified=skipped accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=failed accel-boot=skipped"},
		{"no pack in slow mode", fake{packErr: ErrNoPack, slow: BySettings}, Ask{}, false, "", []string{"pack-missing/pack-missing/install-pack"},
			"pack-installed=failed pack-verified=skipped accel-cpu=unknown accel-firmware=unknown accel-system=unknown accel-device=unknown slow-mode=passed accel-boot=skipped"},
		{"damaged pack", fake{verifyErr: &spec.VerifyError{Kind: spec.KindFlippedByte, File: "guest/vmlinux"}, facts: works}, Ask{}, false, "", []string{"pack-corrupt/flipped-byte/repair-pack"},
			"pack-installed=passed pack-verified=failed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed accel-boot=skipped"},
		{"a pack that cannot be opened", fake{packErr: &spec.VerifyError{Kind: spec.KindForeignKey}, facts: works}, Ask{}, false, "", []string{"pack-corrupt/foreign-key/repair-pack"},
			"pack-installed=passed pack-verified=failed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed accel-boot=skipped"},
		{"no pack, and off in the firmware", fake{packErr: ErrNoPack, facts: off}, Ask{}, false, "", []string{"pack-missing/pack-missing/install-pack", "accel-unavailable/kvm-firmware/firmware-virt"},
			"pack-installed=failed pack-verified=skipped accel-cpu=passed accel-firmware=failed accel-system=skipped accel-device=skipped accel-boot=skipped"},
		{"no pack, off in the firmware, and slowly by choice", fake{packErr: ErrNoPack, facts: off, slow: BySettings}, Ask{}, false, "", []string{"pack-missing/pack-missing/install-pack"},
			"pack-installed=failed pack-verified=skipped accel-cpu=passed accel-firmware=failed accel-system=skipped accel-device=skipped slow-mode=passed accel-boot=skipped"},
		{"a pack for a newer piwork", fake{packErr: &spec.VerifyError{Kind: spec.KindWrongAppVersion}, facts: works}, Ask{}, false, "", []string{"pack-too-new/wrong-app-version/update-app"},
			"pack-installed=passed pack-verified=failed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed accel-boot=skipped"},
		{"a pack that cannot be read", fake{packErr: fs.ErrPermission, facts: works}, Ask{}, false, "", []string{"not-checked/permission/check-again"},
			"pack-installed=unknown pack-verified=unknown accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed accel-boot=skipped"},
		{"KVM opens and hangs", fake{proveErr: kvmHangs, facts: works}, Ask{}, false, "", []string{"accel-unavailable/kvm-broken/slow-mode"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed accel-boot=failed"},
		{"no device", fake{proveErr: kvmHangs, facts: missing}, Ask{}, false, "", []string{"accel-unavailable/kvm-module/load-kvm"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=unknown accel-system=failed accel-device=skipped accel-boot=failed"},
		{"off in the firmware", fake{proveErr: kvmHangs, facts: off}, Ask{}, false, "", []string{"accel-unavailable/kvm-firmware/firmware-virt"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=failed accel-system=skipped accel-device=skipped accel-boot=failed"},
		{"in a machine without nesting", fake{proveErr: kvmHangs, facts: with(off, func(f *Facts) { f.Capable, f.Firmware, f.Guest = Unknown, Unknown, Yes })}, Ask{}, false, "", []string{"accel-unavailable/kvm-nested/nested-virt"},
			"pack-installed=passed pack-verified=passed accel-cpu=failed accel-system=skipped accel-device=skipped accel-boot=failed"},
		{"no permission", fake{proveErr: kvmHangs, facts: denied}, Ask{}, false, "", []string{"accel-unavailable/kvm-permission/kvm-group"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=failed accel-boot=failed"},
		{"the device fails otherwise", fake{proveErr: kvmHangs, facts: with(works, func(f *Facts) { f.Device, f.DeviceErr = DeviceFailed, errors.New("I/O error") })}, Ask{}, false, "", []string{"accel-unavailable/kvm-device/restart-computer"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=failed accel-boot=failed"},
		{"the boot decides, not the check", fake{facts: denied}, Ask{}, true, "kvm", nil,
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=unknown accel-boot=passed"},
		{"slow mode by the environment", fake{proveErr: kvmHangs, facts: works, slow: ByEnvironment}, Ask{Slow: true}, true, "tcg", []string{"slow-mode/environment/fast-mode"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed slow-mode=passed accel-boot=passed"},
		{"slow mode by a request", fake{proveErr: kvmHangs, facts: works}, Ask{Slow: true}, true, "tcg", []string{"slow-mode/flag/fast-mode"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed slow-mode=passed accel-boot=passed"},
		{"not even slowly", fake{proveErr: map[qemu.Accel]error{qemu.AccelTCG: hangs(qemu.AccelTCG)}, facts: works, slow: BySettings}, Ask{}, false, "", []string{"boot-failed/tcg-broken/check-again"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed slow-mode=passed accel-boot=failed"},
		{"the measure of slow mode fails already", fake{proveErr: map[qemu.Accel]error{qemu.AccelKVM: hangs(qemu.AccelTCG)}, facts: works}, Ask{}, false, "", []string{"boot-failed/tcg-broken/check-again"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed accel-boot=failed"},
		{"the boot could not be made", fake{proveErr: map[qemu.Accel]error{qemu.AccelKVM: fs.ErrPermission}, facts: works}, Ask{}, false, "", []string{"not-checked/permission/check-again"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed accel-boot=unknown"},
		{"a guest of another processor", fake{os: "linux", arch: "arm64", facts: works}, Ask{}, false, "", []string{"accel-unavailable/guest-arch/slow-mode"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed accel-boot=skipped"},
		{"macOS", fake{os: "darwin", arch: "amd64", proveErr: map[qemu.Accel]error{qemu.AccelHVF: hangs(qemu.AccelHVF)}}, Ask{}, false, "", []string{"accel-unavailable/hvf-unexplained/slow-mode"},
			"pack-installed=passed pack-verified=passed accel-cpu=unknown accel-system=unknown accel-device=unknown accel-boot=failed"},
		{"Windows", fake{os: "windows", arch: "amd64"}, Ask{}, true, "whpx", nil,
			"pack-installed=passed pack-verified=passed accel-cpu=unknown accel-firmware=unknown accel-system=unknown accel-device=unknown accel-boot=passed"},
		{"Windows with the feature off", fake{os: "windows", arch: "amd64", proveErr: map[qemu.Accel]error{qemu.AccelWHPX: hangs(qemu.AccelWHPX)}, facts: windowsFacts(windowsSource{cpu: intel, build: 19045, firmware: Yes, library: No})},
			Ask{}, false, "", []string{"accel-unavailable/whpx-feature/windows-feature"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=failed accel-device=skipped accel-boot=failed"},
		{"a Mac whose system refuses", fake{os: "darwin", arch: "arm64", guest: "aarch64", proveErr: map[qemu.Accel]error{qemu.AccelHVF: &qemu.ProofError{Accel: qemu.AccelHVF, Stage: qemu.StageStart, Output: "Error: ret = HV_DENIED (0xfae94007)", Err: errors.New("ended")}}, facts: Facts{MacFacts: MacFacts{Support: Yes}, Vendor: "apple"}},
			Ask{}, false, "", []string{"accel-unavailable/hvf-refused/repair-pack"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-system=passed accel-device=failed accel-boot=failed"},
		{"a Mac with the program for Intel", fake{os: "darwin", arch: "amd64", proveErr: map[qemu.Accel]error{qemu.AccelHVF: hangs(qemu.AccelHVF)}, facts: Facts{MacFacts: MacFacts{Support: Yes}, Vendor: "apple", Translated: Yes}},
			Ask{}, false, "", []string{"accel-unavailable/hvf-translated/native-app"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-system=passed accel-device=failed accel-boot=failed"},
		{"neither fast nor slowly", fake{proveErr: map[qemu.Accel]error{qemu.AccelKVM: hangs(qemu.AccelKVM), qemu.AccelTCG: hangs(qemu.AccelTCG)}, facts: denied}, Ask{}, false, "", []string{"boot-failed/tcg-broken/check-again"},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=failed accel-boot=failed"},
		{"a system without acceleration", fake{os: "plan9", arch: "amd64"}, Ask{}, false, "", []string{"accel-unavailable/guest-arch/slow-mode"},
			"pack-installed=passed pack-verified=passed accel-boot=skipped"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			rep, machine, err := r.f.setup().Check(t.Context(), r.ask)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range rep.Problems {
				got = append(got, strings.Join([]string{p.Code, p.Cause, p.Fix[0].Code}, "/"))
				if r.ready == (p.Severity == problem.Blocking) {
					t.Errorf("ready is %v with %+v", r.ready, p)
				}
			}
			if rep.Ready != r.ready || rep.Accel.Kind != r.kind || !slices.Equal(got, r.problems) {
				t.Errorf("ready %v, kind %q, problems %q", rep.Ready, rep.Accel.Kind, got)
			}
			var checks []string
			for _, c := range rep.Checks {
				checks = append(checks, c.Code+"="+string(c.State))
			}
			if s := strings.Join(checks, " "); s != r.checks {
				t.Errorf("checks %s", s)
			}
			if (machine.Pack.Image.ID != "") != r.ready || r.ready && string(machine.Proof.Accel) != r.kind {
				t.Errorf("machine %+v", machine)
			}
			if rep.Pack.Installed != strings.Contains(r.checks, "pack-installed=passed") || rep.Pack.Verified != strings.Contains(r.checks, "pack-verified=passed") {
				t.Errorf("pack %+v", rep.Pack)
			}
			if rep.Version != "1.2.3" || rep.Time.IsZero() || rep.Accel.Native != string(NativeAccel(r.f.os)) {
				t.Errorf("%+v", rep)
			}
		})
	}
}

// A broken acceleration always offers the slow mode, and shows what was seen.
func TestAccelProblemsOfferTheSlowMode(t *testing.T) {
	for _, d := range []Facts{works, missing, denied, off, {}} {
		f := fake{proveErr: map[qemu.Accel]error{qemu.AccelKVM: hangs(qemu.AccelKVM)}, facts: d}
		rep, _, err := f.setup().Check(t.Context(), Ask{})
		if err != nil {
			t.Fatal(err)
		}
		p := rep.Problems[0]
		if !slices.ContainsFunc(p.Fix, func(x problem.Fix) bool { return x.Code == problem.FixSlowMode }) {
			t.Errorf("%+v", p)
		}
		if !strings.Contains(p.Details, "silence") || p.Params["stage"] != "first-byte" || p.Params["deadlineMs"] != int64(1600) {
			t.Errorf("%+v", p)
		}
	}
}

func TestWhatIsKnownIsNotLookedAtAgain(t *testing.T) {
	f := fake{proveErr: map[qemu.Accel]error{qemu.AccelKVM: hangs(qemu.AccelKVM)}, facts: works}
	s := f.setup()
	check := func(a Ask) Report {
		t.Helper()
		rep, _, err := s.Check(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	for range 3 {
		check(Ask{})
		check(Ask{Slow: true})
	}
	if fmt.Sprint(f.proved) != "[kvmfalse tcgfalse]" || fmt.Sprint(f.verified) != "[false false false false false false]" {
		t.Errorf("proved %v, verified %v", f.proved, f.verified)
	}
	f.proveErr = nil
	if rep := check(Ask{Recheck: true}); !rep.Ready {
		t.Errorf("%+v", rep)
	}
	if fmt.Sprint(f.proved) != "[kvmfalse tcgfalse kvmtrue]" || !f.verified[len(f.verified)-1] {
		t.Errorf("proved %v, verified %v", f.proved, f.verified)
	}
	// A machine that did not come up makes the proof worth nothing, once.
	s.Doubt("img")
	s.Doubt("another")
	for range 2 {
		check(Ask{})
	}
	if fmt.Sprint(f.proved) != "[kvmfalse tcgfalse kvmtrue kvmtrue]" {
		t.Errorf("proved %v", f.proved)
	}
	// A pack that was damaged is looked at until it is whole.
	f.verifyErr = &spec.VerifyError{Kind: spec.KindMissingFile}
	if check(Ask{Recheck: true}).Ready || check(Ask{}).Ready {
		t.Error("ready with a damaged pack")
	}
	f.verifyErr = nil
	if !check(Ask{}).Ready {
		t.Error("not ready with a repaired pack")
	}
}

// Checks wait for each other; one that is given up remembers nothing and lets
// the next go on.
func TestChecksAreOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fake{facts: works}
		s := f.setup()
		inner := s.o.Prove
		running := 0
		s.o.Prove = func(ctx context.Context, i qemu.Image, a qemu.Accel, fresh bool) (qemu.Proof, error) {
			if running++; running > 1 {
				t.Error("two proof boots at once")
			}
			defer func() { running-- }()
			select {
			case <-ctx.Done():
				return qemu.Proof{}, ctx.Err()
			case <-time.After(5 * time.Second):
			}
			return inner(ctx, i, a, fresh)
		}
		gone, giveUp := context.WithCancelCause(t.Context())
		why := errors.New("no patience")
		errs := make(chan error, 2)
		go func() { _, _, err := s.Check(gone, Ask{}); errs <- err }()
		synctest.Wait()
		waiting, stop := context.WithCancel(t.Context())
		go func() { _, _, err := s.Check(waiting, Ask{}); errs <- err }()
		synctest.Wait()
		stop()
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		giveUp(why)
		if err := <-errs; !errors.Is(err, why) {
			t.Error(err)
		}
		rep, _, err := s.Check(t.Context(), Ask{})
		if err != nil || !rep.Ready {
			t.Errorf("%+v, %v", rep, err)
		}
	})
}

// TestReverify: the files are read again before every start of a machine.
func TestReverify(t *testing.T) {
	f := fake{facts: works}
	s := f.setup()
	_, m, err := s.Check(t.Context(), Ask{})
	if err != nil || m.Verified.IsZero() {
		t.Fatalf("%+v, %v", m, err)
	}
	for _, tc := range []struct {
		after time.Duration
		reads int
	}{{0, 0}, {verifiedFor - 1, 0}, {verifiedFor, 1}, {time.Hour, 1}, {-time.Hour, 1}} {
		before := len(f.verified)
		if err := m.Reverify(t.Context(), m.Verified.Add(tc.after)); err != nil {
			t.Error(err)
		}
		if got := len(f.verified) - before; got != tc.reads {
			t.Errorf("after %v it was read %d times", tc.after, got)
		}
	}
	f.verifyErr = &spec.VerifyError{Kind: spec.KindFlippedByte, File: "guest/vmlinux"}
	var p *problem.Problem
	if err := m.Reverify(t.Context(), m.Verified.Add(time.Hour)); !errors.As(err, &p) || p.Code != problem.CodePackCorrupt ||
		p.Fix[0].Code != problem.FixRepairPack || p.Severity != problem.Blocking {
		t.Errorf("a changed kernel: %v", err)
	}
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no patience"))
	if err := m.Reverify(gone, m.Verified.Add(time.Hour)); err == nil || err.Error() != "no patience" {
		t.Errorf("given up: %v", err)
	}
}
