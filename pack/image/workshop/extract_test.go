package workshop

import (
	"archive/tar"
	"os"
	"path/filepath"
	"testing"
)

// archiveOf writes a tar archive; entries that end in a slash are directories.
func archiveOf(t *testing.T, headers ...tar.Header) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.tar")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := tar.NewWriter(f)
	for _, h := range headers {
		h.Format = tar.FormatPAX
		if h.Typeflag == tar.TypeReg {
			h.Size = 4
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write([]byte("data")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestExtract(t *testing.T) {
	file := archiveOf(t,
		tar.Header{Name: "out/", Typeflag: tar.TypeDir, Mode: 0o777},
		tar.Header{Name: "out/bin/", Typeflag: tar.TypeDir, Mode: 0o700},
		tar.Header{Name: "out/bin/program", Typeflag: tar.TypeReg, Mode: 0o6777},
		tar.Header{Name: "out/share/data", Typeflag: tar.TypeReg, Mode: 0o600},
	)
	dir := t.TempDir()
	if err := extract(file, dir); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"bin/program": 0o755, "share/data": 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode() != mode || info.Size() != 4 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}

func TestExtractRefuses(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"a link":              {Name: "out/x", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		"a hard link":         {Name: "out/x", Typeflag: tar.TypeLink, Linkname: "out/y"},
		"a device":            {Name: "out/x", Typeflag: tar.TypeBlock},
		"a pipe":              {Name: "out/x", Typeflag: tar.TypeFifo},
		"a way out":           {Name: "out/../../x", Typeflag: tar.TypeReg},
		"an absolute name":    {Name: "/out/x", Typeflag: tar.TypeReg},
		"another directory":   {Name: "elsewhere/x", Typeflag: tar.TypeReg},
		"a dot":               {Name: "out/.", Typeflag: tar.TypeReg},
		"the directory again": {Name: "out", Typeflag: tar.TypeReg},
	} {
		dir := t.TempDir()
		if err := extract(archiveOf(t, h), filepath.Join(dir)); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v %v", name, left, err)
		}
	}
	dir := t.TempDir()
	twice := tar.Header{Name: "out/x", Typeflag: tar.TypeReg}
	if err := extract(archiveOf(t, twice, twice), dir); err == nil {
		t.Error("a file twice: accepted")
	}
}
