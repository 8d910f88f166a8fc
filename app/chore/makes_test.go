package chore_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"piwork/app/chore"
	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// makeBench is the environment of a chore that makes files, with programs that
// stand in for those of the pack.
func makeBench(t *testing.T, name, dir string, params map[string]any) (chore.Chore, *bench) {
	t.Helper()
	ch, b := tidyBench(t, name, dir, params)
	b.rt.Programs = choretest.Programs
	return ch, b
}

// sample is a picture of the tests of pack/tools/picture.
func sample(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../pack/tools/picture/testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// begins describes what is new in a folder: the beginning of each file.
func begins(before, after map[string]string) string {
	var out []string
	for name, content := range after {
		if _, ok := before[name]; ok {
			continue
		}
		if pages := choretest.Pages([]byte(content)); pages != nil {
			content = strings.Join(pages, "|")
		}
		content, _, _ = strings.Cut(content, " of ")
		out = append(out, strings.TrimSpace(name+" "+strings.ReplaceAll(content, "\n", "/")))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// months is a workbook of two sheets with a row each, and an empty one before them.
func months(t *testing.T) string {
	t.Helper()
	book := excelize.NewFile()
	for n, sheet := range []string{"May", "June"} {
		_, err := book.NewSheet(sheet)
		if err == nil {
			err = errors.Join(book.SetCellValue(sheet, "A1", "A"), book.SetCellValue(sheet, "A2", n+1))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What each chore makes of a folder, and of what it leaves out says so.
func TestMakingChores(t *testing.T) {
	heic, jpg := sample(t, "a.heic"), string(picture(t, 2))
	pdf := func(password string, pages ...string) string { return string(choretest.PDF(password, pages...)) }
	for _, c := range []struct {
		title, name string
		params      map[string]any
		before      map[string]string
		want        string   // what is new
		skipped     []string // codes
		problems    []string
	}{
		{"HEIC to JPEG", "convert-pictures", nil,
			map[string]string{"IMG_1.HEIC": heic, "IMG_2.heic": heic, "already.jpg": jpg, "cut.heic": heic[:60], "x.txt": "no", "Converted pictures/": ""},
			"Converted pictures (2)/\nConverted pictures (2)/IMG_1.jpg jpeg\nConverted pictures (2)/IMG_2.jpg jpeg", []string{problem.CodeInputBroken}, nil},
		{"smaller", "convert-pictures", map[string]any{"side": 5, "format": "webp", "language": "de"},
			map[string]string{"a.heic": heic, "a.jpg": jpg},
			"Umgewandelte Bilder/\nUmgewandelte Bilder/a (2).webp webp at 5x5>\nUmgewandelte Bilder/a.webp webp at 5x5>", nil, nil},
		{"pages and animations", "convert-pictures", map[string]any{"format": "webp"},
			map[string]string{"a.jpg": jpg, "pages.tiff": sample(t, "pages.tiff"), "anim.gif": sample(t, "anim.gif"), "already.webp": sample(t, "anim.webp")},
			"Converted pictures/\nConverted pictures/a.webp webp", []string{problem.CodeInputPages, problem.CodeInputPages}, nil},
		{"folders inside", "convert-pictures", map[string]any{"recursive": true},
			map[string]string{"one/two/a.heic": heic, "a.heic": heic},
			"Converted pictures/\nConverted pictures/a.jpg jpeg\nConverted pictures/one/\nConverted pictures/one/two/\nConverted pictures/one/two/a.jpg jpeg", nil, nil},
		{"metadata", "strip-metadata", nil,
			map[string]string{"-a.JPG": jpg, "line\nbreak.pdf": pdf("", "1"), "c.mp4": "no film"},
			"For sharing/\nFor sharing/-a.JPG stripped\nFor sharing/line\nbreak.pdf 1", nil, []string{problem.CodeInputUnsupported}},
		{"memo", "voice-memo", nil,
			map[string]string{"memo.m4a": "sound one", "no.wav": "noise", "film.mp4": "sound two"},
			"MP3/\nMP3/memo.mp3 mp3", []string{problem.CodeInputUnsupported}, nil},
		{"merge", "merge-pdf", nil,
			map[string]string{"10.pdf": pdf("", "x"), "9.pdf": pdf("", "a", "b"), "locked.pdf": pdf("pw", "s"), "Merged.pdf": pdf("", "m"), "cut.pdf": "%PDF-1.7"},
			"Merged (2).pdf a|b|x|m", []string{problem.CodeInputBroken, problem.CodeInputLocked}, nil},
		{"split", "split-pdf", map[string]any{"every": "2"},
			map[string]string{"r.pdf": pdf("", "1", "2", "3"), "one.pdf": pdf("", "1"), "r/": ""},
			"r (2)/\nr (2)/r 1-2.pdf 1|2\nr (2)/r 3-3.pdf 3", nil, nil},
		{"compress", "compress-pdf", nil,
			map[string]string{"a.pdf": pdf("", "1") + strings.Repeat("\n", 100)},
			"Smaller PDFs/\nSmaller PDFs/a.pdf 1", nil, nil},
		{"compress what is small", "compress-pdf", nil,
			map[string]string{"a.pdf": pdf("", "1")},
			"Smaller PDFs/\nSmaller PDFs/a.pdf 1", nil, []string{problem.CodeNotSmaller}},
		{"text of nothing", "extract-text", nil,
			map[string]string{"a.html": "<p>words</p>", "b.html": "<p> </p>"},
			"Text/\nText/a.txt words/\nText/b.txt", nil, []string{problem.CodeNoText}},
		{"unlock", "unlock-pdf", map[string]any{"password": "pw"},
			map[string]string{"a.pdf": pdf("pw", "1"), "b.pdf": pdf("other", "1"), "c.pdf": pdf("", "1")},
			"Unlocked PDFs/\nUnlocked PDFs/a.pdf 1", []string{problem.CodeInputLocked}, nil},
		{"scans", "searchable-scans", nil,
			map[string]string{"a.pdf": pdf("", "1", "2"), "b.jpg": jpg},
			"Searchable/\nSearchable/a.pdf 1|2|text\nSearchable/a.txt 1/2/text\nSearchable/b.pdf 000001.jpg|text\nSearchable/b.txt 000001.jpg/text", nil, nil},
		{"archives", "unpack-archives", nil,
			map[string]string{"a.tar.gz": archive(t, ".tar.gz", "in/x.txt"), "a.zip": archive(t, ".zip", "y.txt"), "bad.7z": "7z\xBC\xAF\x27\x1C", "no.zip": "text"},
			"a (2)/\na (2)/in/\na (2)/in/x.txt in/x.txt\na/\na/y.txt y.txt", []string{problem.CodeInputBroken, problem.CodeInputUnsupported}, nil},
		{"clean", "clean-table", nil,
			map[string]string{"a.csv": "A,B,C\n x ,,1\nx,,1\n,,\n", "b.tsv": "A\tB\n1\t2\n"},
			"Clean tables/\nClean tables/a.csv A,C/x,1/\nClean tables/b.tsv A\tB/1\t2/", nil, nil},
		{"join", "join-tables", map[string]any{"source": true, "language": "de", "name": "Alles.csv"},
			map[string]string{"1.csv": "A,B\n1,2\n", "2.csv": "B;A\n3;4\n"},
			"Alles.csv A,B,Datei/1,2,1.csv/4,3,2.csv/", nil, nil},
		{"sheets", "clean-table", map[string]any{"format": "csv"},
			map[string]string{"2024.xlsx": months(t), "2024 (May).csv": "A\n1\n"},
			"Clean tables/\nClean tables/2024 (June).csv A/2/\nClean tables/2024 (May) (2).csv A/1/\nClean tables/2024 (May).csv A/1/", nil, nil},
		{"join sheets", "join-tables", map[string]any{"source": true},
			map[string]string{"2024.xlsx": months(t), "b.csv": "B\n9\n"},
			"Joined.csv A,File,B/1,2024.xlsx: May,/2,2024.xlsx: June,/,b.csv,9/", nil, nil},
	} {
		t.Run(c.title, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.ContainsAny(fmt.Sprint(c.before), "\n") {
				t.Skip("Windows has no file names with these characters")
			}
			dir := t.TempDir()
			put(t, dir, june, c.before)
			ch, b := makeBench(t, c.name, dir, c.params)
			before := tree(t, dir)
			plan, err := ch.Plan(t.Context(), b.env)
			if err != nil || len(plan.Operations) == 0 || plan.Limits.WallMS == 0 {
				t.Fatalf("%+v, %v", plan, err)
			}
			if now := tree(t, dir); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Fatalf("planning changed the folder: %v", now)
			}
			if got := problemCodes(plan.Skipped); !slices.Equal(got, c.skipped) {
				t.Errorf("left out %q, want %q", got, c.skipped)
			}
			out, err := ch.Run(t.Context(), b.env, plan)
			if err != nil {
				t.Fatalf("%+v, %v", out, err)
			}
			if got := problemCodes(out.Problems); !slices.Equal(got, c.problems) {
				t.Errorf("problems %+v, want %q", out.Problems, c.problems)
			}
			after := tree(t, dir)
			if got := begins(before, after); got != c.want {
				t.Errorf("there is\n%s\nwant\n%s", got, c.want)
			}
			for name, content := range before {
				if after[name] != content {
					t.Errorf("%q was changed", name)
				}
			}
			for _, r := range out.Results {
				if data, ok := after[r.Path]; !ok || r.Folder != "f1" || r.Size != int64(len(data)) || len(r.SHA256) != 64 {
					t.Errorf("result %+v", r)
				}
			}
			if last := b.progress[len(b.progress)-1]; last.Done != last.Total {
				t.Errorf("progress ends with %+v", last)
			}
		})
	}
}

func problemCodes(ps []problem.Problem) (out []string) {
	for _, p := range ps {
		out = append(out, p.Code)
	}
	slices.Sort(out)
	return out
}

// archive is one of files whose content is their name.
func archive(t *testing.T, format string, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{}
	for _, n := range names {
		files["in/"+n] = n
	}
	put(t, dir, june, files)
	rt := &choretest.Runtime{Folders: []choretest.Folder{{Name: "A", Path: dir}}, Work: t.TempDir()}
	if err := rt.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	var in []string
	entries, err := os.ReadDir(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		in = append(in, "/folders/A/in/"+e.Name())
	}
	if _, err := rt.Execute(t.Context(), vmhost.Action{Tool: &wire.ToolParams{ID: "x", Op: "archive.create", In: in, Out: "/folders/A/out", Params: map[string]any{"format": strings.TrimPrefix(format, ".")}}}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
