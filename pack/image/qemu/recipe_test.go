package qemu

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDevicesForMacOS: QEMU for macOS has the devices of QEMU for Linux, but those of vhost-user.
func TestDevicesForMacOS(t *testing.T) {
	for _, guest := range []string{"aarch64", "x86_64"} {
		linux, darwin := devicesOf(t, guest+"-linux"), devicesOf(t, guest+"-darwin")
		linux = slices.DeleteFunc(linux, func(line string) bool { return strings.HasPrefix(line, "CONFIG_VHOST_USER") })
		if !slices.Equal(linux, darwin) {
			t.Errorf("%s: %q, on Linux %q", guest, darwin, linux)
		}
	}
}

// devicesOf returns the lines of a file with devices, without comments.
func devicesOf(t *testing.T, name string) []string {
	t.Helper()
	data, err := recipeFS.ReadFile("recipe/devices/" + name + ".mak")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool { return strings.HasPrefix(line, "#") })
}

// TestRecipeForMacOS plays the recipe with stand-ins for QEMU's source and for what a Mac has:
// Debian's patches are applied and then ours, QEMU is asked for hvf, and a program without our
// device or without hvf ends the build.
func TestRecipeForMacOS(t *testing.T) {
	for _, tool := range []string{"sh", "tar", "xz", "patch"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
	const device, accel = "name \"virtio-9p-chardev-pci\", bus PCI\n", "Accelerators supported in QEMU binary:\nhvf\ntcg\n"
	for _, tt := range []struct {
		name, machine, device, accel string
		guest, fdt                   string
		missing                      string
	}{
		{name: "Apple's processor", machine: "arm64", device: device, accel: accel, guest: "aarch64", fdt: "--enable-fdt=system"},
		{name: "Intel's processor", machine: "x86_64", device: device, accel: accel, guest: "x86_64", fdt: "--disable-fdt"},
		{name: "another device", machine: "arm64", device: "name \"virtio-9p-chardev-pci-transitional\"\n", accel: accel, missing: `"virtio-9p-chardev-pci"`},
		{name: "no hvf", machine: "arm64", device: device, accel: "Accelerators supported in QEMU binary:\ntcg\n", missing: "hvf"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := standInMac(t, tt.machine, tt.device, tt.accel)
			out, err := onMac(t, dir, "sh", "recipe/darwin.sh", "source", "place")
			if tt.missing != "" {
				if err == nil || !strings.Contains(out, tt.missing+" is not in what ") {
					t.Fatalf("%v, %s", err, out)
				}
				return
			}
			if err != nil {
				t.Fatal(err, out)
			}
			for name, want := range map[string]string{
				"place/build/source/text": "Debian's\nours\n",
				"place/out/licence/qemu":  "terms\n",
				"place/build/qemu/made":   "-j3 qemu-system-" + tt.guest + "-unsigned\n",
			} {
				if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != want {
					t.Errorf("%s: %q, %v", name, data, err)
				}
			}
			asked, err := os.ReadFile(filepath.Join(dir, "place/build/qemu/asked"))
			if err != nil {
				t.Fatal(err)
			}
			options := strings.Split(string(asked), "\n")
			for _, o := range []string{
				"--target-list=" + tt.guest + "-softmmu", tt.fdt, "--enable-hvf", "--without-default-devices", "--extra-ldflags=-L/brew/lib",
			} {
				if !slices.Contains(options, o) {
					t.Errorf("no %s in %q", o, options)
				}
			}
			// QEMU's configure goes by what it reads last.
			pythons := slices.DeleteFunc(options, func(o string) bool { return !strings.HasPrefix(o, "--python=") })
			if want := "--python=" + filepath.Join(dir, "tools/python3"); len(pythons) == 0 || pythons[len(pythons)-1] != want {
				t.Errorf("%q, want %s", pythons, want)
			}
		})
	}
}

// standInMac makes a directory with a source package whose QEMU compiles at once and prints device
// and accel, the recipe with one patch, and tools of a Mac with such a processor.
func standInMac(t *testing.T, machine, device, accel string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"recipe/patches/all/01-ours.patch": "--- a/text\n+++ b/text\n@@ -1 +1,2 @@\n Debian's\n+ours\n",
		"debian/patches/series":            "theirs.patch # why\n",
		"debian/patches/theirs.patch":      "--- a/text\n+++ b/text\n@@ -1 +1 @@\n-QEMU's\n+Debian's\n",
		"debian/copyright":                 "terms\n",
		"qemu/text":                        "QEMU's\n",
		"qemu/configure": `#!/bin/sh
printf '%s\n' "$@" >asked
for guest in aarch64 x86_64; do
	[ ! -s "${0%/*}/configs/devices/$guest-softmmu/piwork.mak" ] || cp "${0%/*}/program" "qemu-system-$guest-unsigned"
done
`,
		"qemu/program": "#!/bin/sh\ncat \"$ANSWERS/$1\"\n",
		"qemu/configs/devices/aarch64-softmmu/none": "",
		"qemu/configs/devices/x86_64-softmmu/none":  "",
		"answers/-device":                           device,
		"answers/-accel":                            accel,
		"tools/uname":                               "#!/bin/sh\necho " + machine + "\n",
		"tools/sysctl":                              "#!/bin/sh\necho 3\n",
		"tools/brew":                                "#!/bin/sh\necho /brew\n",
		"tools/python3":                             "#!/bin/sh\n",
		"tools/gpatch":                              "#!/bin/sh\nexec patch \"$@\"\n",
		"tools/ninja":                               "#!/bin/sh\necho \"$@\" >made\n",
		"source/none":                               "",
	}
	err := fs.WalkDir(recipeFS, "recipe", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(name, "recipe/patches/") {
			return err
		}
		data, err := recipeFS.ReadFile(name)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for archive, of := range map[string]string{"qemu_1.orig": "qemu", "qemu_1-1.debian": "debian"} {
		if out, err := onMac(t, dir, "tar", "-cJf", "source/"+archive+".tar.xz", of); err != nil {
			t.Fatal(err, out)
		}
	}
	return dir
}

// onMac runs a program in such a directory.
func onMac(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "tools")+string(os.PathListSeparator)+os.Getenv("PATH"), "ANSWERS="+filepath.Join(dir, "answers"))
	out, err := c.CombinedOutput()
	return string(out), err
}
