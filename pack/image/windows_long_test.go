//go:build long && linux

package image

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/image/workshop"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// underWine runs tests of a package, compiled for Windows, with the unpacked
// pack. Wine's first start makes its own C: drive.
const underWine = `set -eu
export WINEPREFIX=/build/wine HOME=/build WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
export PIWORK_ACCEL=tcg
cp /in/tests.exe /build/
[ ! -d /in/pack ] || cp -r /in/pack /build/
export PIWORK_RUNTIME_DIR='Z:\build\pack'
cd /build
status=0
timeout 900 /usr/lib/wine/wine64 tests.exe -test.v -test.timeout 14m -test.run "$TESTS" >/out/log 2>&1 || status=$?
cat /out/log
exit $status
`

// TestWindowsPackUnderWine boots the pack for Windows with the command lines,
// pipes and processes of vmhost/qemu: the proof of the slow mode, a machine
// with disks whose guest answers, and one that has a folder.
func TestWindowsPackUnderWine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pack")
	log := func(line string) { t.Log(line) }
	r, err := Build(t.Context(), Options{HostOS: "windows", HostArch: "amd64", SourceDir: "../..", OutDir: dir, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if r.Header.HostOS != "windows" {
		t.Errorf("for %s", r.Header.HostOS)
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := trust.NewSigner(private)
	if err == nil {
		_, err = signDir(t.Context(), r, signer)
	}
	if err != nil {
		t.Fatal(err)
	}
	runUnderWine(t, dir, "../../vmhost/qemu", "^(TestAbilitiesForReal|TestProveSlowModeForReal|TestPortsForReal)$")
	runUnderWine(t, dir, "../../vmhost/vm", "^TestFolderOver9PForReal$")
}

// TestFoldersUnderWine shares folders as Windows has them: its names, other
// spellings of them, long paths, paths of network shares, files that another program has
// for itself.
func TestFoldersUnderWine(t *testing.T) {
	runUnderWine(t, "", "../../vmhost/share/internal/at", "^(TestNamesOfWindows|TestOwnName|TestLongPaths|TestSharingViolation|TestSyncOfWhatIsRead|TestPlain|TestRealPathOfLongForm)$")
	runUnderWine(t, "", "../../vmhost/share", "^(TestUndoOfOtherSpellings|TestDiskRoots|TestSystemFolders)$")
}

// TestPipeUnderWine speaks to the controller as programs on Windows do.
func TestPipeUnderWine(t *testing.T) {
	runUnderWine(t, "", "../../app/api", "^(TestPipe)$")
}

// runUnderWine runs tests of a package, and expects each of them to pass. dir
// is an unpacked pack, "" for tests that need none.
func runUnderWine(t *testing.T, dir, pkg, tests string) {
	t.Helper()
	scratch := t.TempDir()
	exe := filepath.Join(scratch, "tests.exe")
	c := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "vm long", "-o", exe, pkg)
	c.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := newBuilder(Options{HostOS: "linux", HostArch: "amd64", SourceDir: "../..", Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	lock, err := b.packages.lock(wineSet)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.packages.fetch(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"tests.exe": exe}
	if dir != "" {
		files["pack/"+spec.ManifestName] = filepath.Join(dir, spec.ManifestName)
	}
	for _, part := range []string{"qemu", "guest"} {
		if dir == "" {
			break
		}
		if err := listInto(files, filepath.Join(dir, part), "pack/"+part); err != nil {
			t.Fatal(err)
		}
	}
	job := workshop.Job{
		Lock: lock, Store: b.store, Time: lock.Time, Files: files, Texts: map[string][]byte{"run.sh": []byte(underWine)},
		Script: "run.sh", Env: map[string]string{"TESTS": tests}, Scratch: filepath.Join(scratch, "room"), Log: filepath.Join(scratch, "room.log"),
	}
	out := filepath.Join(scratch, "out")
	for _, d := range []string{job.Scratch, out} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := job.Run(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(filepath.Join(out, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", said)
	passed := strings.Count("\n"+string(said), "\n--- PASS: ")
	if want := strings.Count(tests, "|") + 1; passed != want {
		t.Errorf("%d of %d tests passed", passed, want)
	}
}
