package operate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Ghostscript leaves out a page that it cannot read, and ends as if all were well: a
// smaller PDF has the pages of the first, or there is none.
func TestCompressKeepsAllPages(t *testing.T) {
	for name, tt := range map[string]struct {
		in, made string // a line for each page
		want     string // what is made, or the code of the problem
	}{
		"all pages":       {"%PDF-1.7\none, with a picture\ntwo\n", "one\ntwo\n", "one\ntwo\n"},
		"a page is lost":  {"%PDF-1.7\none, with a picture\ntwo\n", "one\n", tools.InputBroken},
		"nothing is left": {"%PDF-1.7\none, with a picture\n", "\n", tools.InputBroken},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			in, out := b.file("a.pdf", []byte(tt.in)), filepath.Join(b.dir, "out.pdf")
			program := func(_ context.Context, c job.Command) (tools.Ending, error) {
				put := func(name, text string) (tools.Ending, error) {
					return tools.Ending{}, os.WriteFile(filepath.Join(b.scratch, name), []byte(text), 0o600)
				}
				last := c.Argv[len(c.Argv)-1]
				data, err := os.ReadFile(filepath.Join(b.scratch, last))
				switch {
				case c.Argv[0] == "gs":
					return put("000000.small.pdf", tt.made)
				case c.Argv[1] == "--check":
					return tools.Ending{ExitCode: tools.QPDFWarnings, Stderr: "WARNING: a page is damaged"}, nil
				case c.Argv[1] == "--show-npages":
					if err != nil {
						t.Error(err)
					}
					pages := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(string(data), "%PDF-1.7\n"), ", with a picture", ""))
					return put(c.Stdout, string(rune('0'+len(pages)))+"\n")
				}
				return put(last, tt.made) // qpdf writes it anew
			}
			p := wire.ToolParams{ID: "x", Op: "pdf.compress", In: []string{in}, Out: out}
			r, err := Run(t.Context(), job.Order{Tool: p, Scratch: b.scratch}, program, func(job.Event) {})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(r.Problems) > 0 {
				got = r.Problems[0].Code
			} else if made, err := os.ReadFile(out); err == nil {
				got = string(made)
			}
			if got != tt.want {
				t.Errorf("%q, %+v, want %q", got, r, tt.want)
			}
		})
	}
}
