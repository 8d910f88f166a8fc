package authority

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	debian = "-----BEGIN CERTIFICATE-----\nZGViaWFu\n-----END CERTIFICATE-----\n"
	first  = "-----BEGIN CERTIFICATE-----\nZmlyc3Q=\n-----END CERTIFICATE-----\n"
	second = "-----BEGIN CERTIFICATE-----\nc2Vjb25k\n-----END CERTIFICATE-----\n"
)

func TestBelieveAddsToTheBundle(t *testing.T) {
	for name, before := range map[string]string{"a bundle": debian, "one without an end": strings.TrimSuffix(debian, "\n"), "none": ""} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			want := ""
			if before != "" {
				want = debian
				if err := os.MkdirAll(filepath.Join(root, filepath.Dir(bundle)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, bundle), []byte(before), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for _, certificate := range []string{first, first, second, strings.TrimSuffix(first, "\n")} { // again, and another
				if err := Believe(root, certificate); err != nil {
					t.Fatal(err)
				}
				if !strings.HasSuffix(certificate, "\n") {
					certificate += "\n"
				}
				if got := read(t, root, bundle); got != want+certificate {
					t.Errorf("the bundle is %q", got)
				}
				if got := read(t, root, alone); got != certificate {
					t.Errorf("alone is %q", got)
				}
			}
			left, err := os.ReadDir(filepath.Join(root, filepath.Dir(bundle)))
			if err != nil || len(left) != 2 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

func TestBelieveSaysWhatIsWrong(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, bundle), 0o755); err != nil { // a directory
		t.Fatal(err)
	}
	if err := Believe(root, first); err == nil {
		t.Error("no error")
	}
}

func TestWordsLeadToTheFiles(t *testing.T) {
	for _, w := range Words("/") {
		name, path, ok := strings.Cut(w, "=/")
		if !ok || name == "" || path != bundle && path != alone {
			t.Errorf("%q leads nowhere", w)
		}
	}
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
