package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/problem"
	"piwork/app/setup/elevate"
	"piwork/vmhost/qemu"
)

// What an administrator is asked to run is what the person is shown, for each fix
// that one can do, and never has a name in it that could mean something else.
func TestAdministered(t *testing.T) {
	kvm := Facts{LinuxFacts: LinuxFacts{Group: "kvm"}, Vendor: "amd"}
	for _, row := range []struct {
		code, account string
		f             Facts
		want          string // "" is not offered
	}{
		{problem.FixLoadKVM, "anna", kvm, "modprobe kvm_amd"},
		{problem.FixLoadKVM, "anna", Facts{Vendor: "intel"}, "modprobe kvm_intel"},
		{problem.FixLoadKVM, "", Facts{}, "modprobe -a kvm_intel kvm_amd"},
		{problem.FixLoadKVM, "anna", Facts{Vendor: "intel", Confined: "flatpak"}, ""},
		{problem.FixKVMGroup, "anna", kvm, "usermod -aG kvm anna"},
		{problem.FixKVMGroup, "anna", Facts{LinuxFacts: LinuxFacts{Group: "-x"}}, ""},
		{problem.FixKVMGroup, "anna", Facts{}, ""},
		{problem.FixKVMGroup, "-R", kvm, ""},
		{problem.FixKVMGroup, "", kvm, ""},
		{problem.FixKVMGroup, "anna; reboot", kvm, ""},
		{problem.FixKVMRule, "anna", Facts{}, `PATH=/usr/sbin:/usr/bin:/sbin:/bin; groupadd -rf kvm && usermod -aG kvm "anna" && ` +
			`echo 'KERNEL=="kvm", GROUP="kvm", MODE="0660"' > /etc/udev/rules.d/65-kvm.rules && ` +
			`udevadm control --reload && udevadm trigger --sysname-match=kvm`},
		{problem.FixKVMRule, "$(reboot)", Facts{}, ""},
		{problem.FixWindowsFeature, "", Facts{}, "dism /online /enable-feature /featurename:HypervisorPlatform /all /norestart /quiet"},
		{problem.FixHypervisorStart, "", Facts{}, "bcdedit /set hypervisorlaunchtype auto"},
		{problem.FixFirmware, "anna", kvm, ""},
		{problem.FixSlowMode, "anna", kvm, ""},
	} {
		act, is := administered(row.code, row.f, row.account)
		if is != (row.want != "") || is && act.String() != row.want {
			t.Errorf("%s for %q with %+v: %q, %v, want %q", row.code, row.account, row.f, act, is, row.want)
		}
		if is && !NeedsAdmin(row.code) {
			t.Errorf("%s is said to need no administrator", row.code)
		}
	}
}

// envAsk makes this program the one that asks for an administrator: it writes down
// what for, in a directory, and the person says no when there is a file "no" in it.
const envAsk = "PIWORK_TEST_ASK"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envAsk); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "ran"), []byte(strings.Join(os.Args[1:], " ")), 0o600); err != nil {
			os.Exit(1)
		}
		if _, err := os.Stat(filepath.Join(dir, "no")); err == nil {
			os.Exit(126)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestMend(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(envAsk, dir)
	ask, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := fake{facts: denied, proveErr: map[qemu.Accel]error{qemu.AccelKVM: hangs(qemu.AccelKVM)}}
	s := f.setup()
	s.o.System.Ask = ask
	if err := s.Mend(t.Context(), problem.FixKVMGroup); !errors.Is(err, ErrNotOffered) {
		t.Errorf("before anything was looked at: %v", err)
	}
	rep, _, err := s.Check(t.Context(), Ask{})
	if err != nil {
		t.Fatal(err)
	}
	offered := map[string]string{}
	for _, fix := range rep.Problems[0].Fix {
		offered[fix.Code] = fix.Runs
	}
	if offered[problem.FixKVMGroup] != "usermod -aG kvm anna" || offered[problem.FixSlowMode] != "" {
		t.Errorf("offered %v", offered)
	}
	for _, code := range []string{problem.FixSlowMode, problem.FixLoadKVM, problem.FixKVMRule} {
		if err := s.Mend(t.Context(), code); !errors.Is(err, ErrNotOffered) {
			t.Errorf("%s: %v", code, err)
		}
	}
	if err := s.Mend(t.Context(), problem.FixKVMGroup); err != nil {
		t.Error(err)
	}
	if ran, err := os.ReadFile(dir + "/ran"); err != nil || string(ran) != "--disable-internal-agent /usr/sbin/usermod -aG kvm anna" {
		t.Errorf("ran %q, %v", ran, err)
	}
	if err := os.WriteFile(dir+"/no", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Mend(t.Context(), problem.FixKVMGroup); !errors.Is(err, elevate.ErrDeclined) {
		t.Errorf("a person who says no: %v", err)
	}
	// What is mended is not offered any more.
	f.facts, f.proveErr = works, nil
	if _, _, err := s.Check(t.Context(), Ask{Recheck: true}); err != nil {
		t.Fatal(err)
	}
	if err := s.Mend(t.Context(), problem.FixKVMGroup); !errors.Is(err, ErrNotOffered) {
		t.Errorf("afterwards: %v", err)
	}
}
