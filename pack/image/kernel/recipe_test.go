package kernel

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// config is what Kconfig made of some wishes.
const config = `# Automatically generated file; DO NOT EDIT.
CONFIG_64BIT=y
CONFIG_LSM="landlock,yama"
CONFIG_NR_CPUS=8
# CONFIG_MODULES is not set
CONFIG_SMP=y
`

func TestCheckWishes(t *testing.T) {
	for _, tt := range []struct {
		name, wishes string
		dropped      []string
	}{
		{"followed", "CONFIG_64BIT=y\nCONFIG_NR_CPUS=8\nCONFIG_LSM=\"landlock,yama\"\n# CONFIG_MODULES is not set\n", nil},
		{"off and not known", "# CONFIG_NEVER_HEARD_OF is not set\n", nil},
		{"words", "# CONFIG_SMP is wished for\n#CONFIG_X=y\n\n", nil},
		{"dropped", "CONFIG_64BIT=y\nCONFIG_GONE=y\n", []string{"CONFIG_GONE=y"}},
		{"on all the same", "# CONFIG_SMP is not set\n", []string{"CONFIG_SMP=n"}},
		{"off all the same", "CONFIG_MODULES=y\n", []string{"CONFIG_MODULES=y"}},
		{"another value", "CONFIG_NR_CPUS=80\nCONFIG_LSM=\"landlock\"\n", []string{"CONFIG_NR_CPUS=80", `CONFIG_LSM="landlock"`}},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"wishes": tt.wishes, "config": config} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		script, err := recipeFS.ReadFile("recipe/check.sh")
		if err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), "sh", "-s", "wishes", "config")
		c.Dir, c.Stdin = dir, strings.NewReader(string(script))
		out, err := c.CombinedOutput()
		if (err != nil) != (len(tt.dropped) > 0) || strings.Count(string(out), "\n") != len(tt.dropped) {
			t.Errorf("%s: %v, %s", tt.name, err, out)
		}
		for _, d := range tt.dropped {
			if !strings.Contains(string(out), "wished: "+d+",") {
				t.Errorf("%s: no %s in %s", tt.name, d, out)
			}
		}
	}
}

// A line that is neither a wish nor words would be ignored by Kconfig and by the
// check alike; a wish that stands twice may contradict itself.
func TestWishesAreWishes(t *testing.T) {
	wish := regexp.MustCompile(`^(CONFIG_[A-Z0-9_a-z]+=(y|-?[0-9]+|0x[0-9a-f]+|"[^"]*")|# CONFIG_[A-Z0-9_a-z]+ is not set)$`)
	name := regexp.MustCompile(`CONFIG_[A-Z0-9_a-z]+`)
	for guest, t2 := range targets {
		seen := map[string]string{}
		for _, file := range []string{"common", t2.arch} {
			text, err := recipeFS.ReadFile("recipe/" + file + ".config")
			if err != nil {
				t.Fatalf("%s: %v", guest, err)
			}
			for line := range strings.Lines(string(text)) {
				line = strings.TrimSuffix(line, "\n")
				if line == "" || strings.HasPrefix(line, "#") && !strings.Contains(line, "CONFIG_") {
					continue
				}
				if !wish.MatchString(line) {
					t.Errorf("%s.config: %q", file, line)
				}
				n := name.FindString(line)
				if seen[n] != "" {
					t.Errorf("%s.config: %q after %q", file, line, seen[n])
				}
				seen[n] = line
			}
		}
		// What the rest of piwork stands on.
		for _, w := range []string{
			"CONFIG_DM_VERITY=y", "CONFIG_EROFS_FS=y", "CONFIG_OVERLAY_FS=y", "CONFIG_EXT4_FS=y", "CONFIG_9P_FS=y", "CONFIG_VIRTIO_FS=y",
			"CONFIG_VIRTIO_CONSOLE=y", "CONFIG_VIRTIO_BLK=y", "CONFIG_VMGENID=y", "CONFIG_SECCOMP_FILTER=y", "CONFIG_SECURITY_LANDLOCK=y",
			"# CONFIG_MODULES is not set", "# CONFIG_DEVMEM is not set",
		} {
			if seen[name.FindString(w)] != w {
				t.Errorf("%s: no %s", guest, w)
			}
		}
	}
}

func TestPackages(t *testing.T) {
	for guest := range targets {
		p, err := Packages(guest)
		if err != nil || !slices.Contains(p, Source) || !slices.Contains(p, "gcc") {
			t.Errorf("%s: %q, %v", guest, p, err)
		}
	}
	if _, err := Packages("sparc"); err == nil {
		t.Error("there is a recipe for sparc")
	}
}

func TestHash(t *testing.T) {
	a, err := Hash("x86_64")
	if err != nil || len(a) != 64 {
		t.Fatalf("%q, %v", a, err)
	}
	if b, _ := Hash("x86_64"); a != b {
		t.Error("two hashes of one recipe differ")
	}
	// Every byte of it counts, in a patch too.
	texts, err := recipe()
	if err != nil {
		t.Fatal(err)
	}
	patches := 0
	for name, text := range texts {
		other := maps.Clone(texts)
		other[name] = append(bytes.Clone(text), '\n')
		b := hashOf(targets["x86_64"], other)
		if theirs := name == "recipe/arm64.config"; (a == b) != theirs {
			t.Errorf("%s changes: %v", name, a != b)
		}
		if strings.HasPrefix(name, patchesDir+"/") {
			patches++
			delete(other, name)
			if hashOf(targets["x86_64"], other) == a {
				t.Errorf("without %s the hash is the same", name)
			}
		}
	}
	if patches == 0 {
		t.Error("no patches were seen")
	}
	if b, err := Hash("aarch64"); err != nil || a == b {
		t.Errorf("two guests have one recipe, or %v", err)
	}
	if _, err := Hash("sparc"); err == nil {
		t.Error("there is a recipe for sparc")
	}
}
