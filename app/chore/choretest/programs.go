package choretest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// Programs stand in for those of the pack: each makes of its input something that
// tells which program it was, and of what. PDFs are those of [PDF].
func Programs(scratch string) job.Runner {
	return func(ctx context.Context, c job.Command) (tools.Ending, error) {
		if err := ctx.Err(); err != nil {
			return tools.Ending{}, err
		}
		p, ok := programs[c.Argv[0]]
		if !ok {
			return tools.Ending{ExitCode: 127, Stderr: "there is no " + c.Argv[0]}, nil
		}
		s := &stand{dir: scratch, argv: c.Argv[1:]}
		p(s)
		if s.err != nil {
			return tools.Ending{ExitCode: 1, Stderr: s.err.Error()}, nil
		}
		if c.Stdout != "" { // as the guest does: a name of its own
			f, err := os.OpenFile(filepath.Join(scratch, c.Stdout), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return tools.Ending{}, err
			}
			_, err = f.Write(s.printed.Bytes())
			return tools.Ending{}, errors.Join(err, f.Close())
		}
		return tools.Ending{}, nil
	}
}

// PDF is one that the programs here understand, with a line for each page. One
// with a password opens with that only.
func PDF(password string, pages ...string) []byte {
	var b strings.Builder
	b.WriteString(pdfHeader)
	if password != "" {
		fmt.Fprintf(&b, "locked %s\n", password)
	}
	for _, p := range pages {
		fmt.Fprintf(&b, "%q\n", p)
	}
	return []byte(b.String())
}

// stand is a program under way; the first error ends it.
type stand struct {
	dir     string
	argv    []string
	printed bytes.Buffer
	err     error
}

var programs = map[string]func(*stand){
	"magick": func(s *stand) {
		_, in, _ := strings.Cut(s.argv[0], ":")
		in, _, _ = strings.Cut(in, "[")
		format, out, _ := strings.Cut(s.last(), ":")
		size := ""
		if i := slices.Index(s.argv, "-resize"); i >= 0 {
			size = " at " + s.argv[i+1]
		}
		s.write(out, fmt.Appendf(nil, "%s%s of %x", format, size, sha256.Sum256(s.read(in))))
	},
	"exiftool": func(s *stand) {
		dir := s.argv[slices.Index(s.argv, "-o")+1]
		for _, in := range s.argv[slices.Index(s.argv, "--")+1:] {
			data := s.read(in)
			if !bytes.HasPrefix(data, []byte(pdfHeader)) {
				data = fmt.Appendf(nil, "stripped of %x", sha256.Sum256(data))
			}
			s.write(filepath.Join(dir, filepath.Base(in)), data)
		}
	},
	"qpdf": qpdf,
	"gs": func(s *stand) {
		for _, a := range s.argv {
			if out, ok := strings.CutPrefix(a, "-sOutputFile="); ok {
				s.write(out, PDF("", s.pages(s.last(), "")...))
			}
		}
	},
	"pdfinfo": func(s *stand) {
		fmt.Fprintf(&s.printed, "Pages: %d\nEncrypted: no\nPage size: 595 x 842 pts\n", len(s.pages(s.last(), "")))
	},
	"pdfimages": func(s *stand) { s.pages(s.last(), "") }, // there are none
	"img2pdf":   func(s *stand) { s.write(s.argv[slices.Index(s.argv, "--output")+1], PDF("", filepath.Base(s.last()))) },
	"pdftoppm": func(s *stand) {
		n, _ := strconv.Atoi(s.argv[slices.Index(s.argv, "-f")+1])
		s.write(s.last()+".png", []byte(s.pages(s.argv[len(s.argv)-2], "")[n-1]))
	},
	"tesseract": func(s *stand) { s.write(s.argv[1]+".pdf", PDF("", "text of "+string(s.read(s.argv[0])))) },
	"pdftotext": func(s *stand) {
		s.write(s.last(), []byte(strings.Join(s.pages(s.argv[len(s.argv)-2], ""), "\n")+"\n"))
	},
	"ffprobe": func(s *stand) {
		if !bytes.HasPrefix(s.read(strings.TrimPrefix(s.last(), "file:")), []byte("sound")) {
			s.err = fmt.Errorf("invalid data found when processing input")
		}
		s.printed.WriteString(`{"streams":[{"codec_name":"aac","channels":1}],"format":{"format_name":"mov","duration":"2.5"}}`)
	},
	"ffmpeg": func(s *stand) {
		in := strings.TrimPrefix(s.argv[slices.Index(s.argv, "-i")+1], "file:")
		s.write(strings.TrimPrefix(s.last(), "file:"), fmt.Appendf(nil, "mp3 of %s", s.read(in)))
	},
}

// qpdf is its calls by pack/tools.
func qpdf(s *stand) {
	password := ""
	if file, ok := strings.CutPrefix(s.argv[0], "@"); ok {
		s.argv = strings.Split(strings.TrimSpace(string(s.read(file))), "\n")
	}
	s.argv = slices.DeleteFunc(s.argv, func(a string) bool {
		if p, ok := strings.CutPrefix(a, "--password="); ok {
			password = p
		}
		return slices.Contains([]string{"--deterministic-id", "--object-streams=generate", "--decrypt"}, a) || strings.HasPrefix(a, "--password=")
	})
	if len(s.argv) == 0 {
		s.err = fmt.Errorf("qpdf: no arguments")
		return
	}
	switch first := s.argv[0]; {
	case first == "--check":
		s.pages(s.argv[1], "")
	case first == "--show-npages":
		fmt.Fprintln(&s.printed, len(s.pages(s.argv[1], "")))
	case first == "--empty": // --pages IN… -- OUT
		var all []string
		for _, in := range s.argv[2 : len(s.argv)-2] {
			all = append(all, s.pages(in, "")...)
		}
		s.write(s.last(), PDF("", all...))
	case strings.HasPrefix(first, "--split-pages="):
		every, _ := strconv.Atoi(strings.TrimPrefix(first, "--split-pages="))
		all := s.pages(s.argv[1], "")
		for n := 0; n < len(all); n += every {
			end := min(n+every, len(all))
			label := fmt.Sprint(n + 1)
			if every > 1 {
				label = fmt.Sprintf("%d-%d", n+1, end)
			}
			s.write(strings.Replace(s.last(), "%d", label, 1), PDF("", all[n:end]...))
		}
	case slices.Contains(s.argv, "--overlay"): // IN --overlay TEXT -- OUT
		s.write(s.last(), PDF("", append(s.pages(first, ""), s.pages(s.argv[2], "")...)...))
	default: // IN OUT
		s.write(s.last(), PDF("", s.pages(first, password)...))
	}
}

func (s *stand) last() string { return s.argv[len(s.argv)-1] }

func (s *stand) fail(err error) { // keeps the first
	if s.err == nil {
		s.err = err
	}
}

func (s *stand) read(name string) []byte {
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.fail(err)
	}
	return data
}

func (s *stand) write(name string, data []byte) {
	if s.err == nil {
		s.fail(os.WriteFile(filepath.Join(s.dir, name), data, 0o600))
	}
}

// pages are those of a PDF.
func (s *stand) pages(name, password string) []string {
	data := string(s.read(name))
	rest, _ := strings.CutPrefix(data, pdfHeader)
	if line, _, _ := strings.Cut(rest, "\n"); strings.HasPrefix(line, "locked ") && line != "locked "+password {
		s.fail(fmt.Errorf("invalid password"))
	}
	pages := Pages([]byte(data))
	if len(pages) == 0 {
		s.fail(fmt.Errorf("%s: the file is damaged", name))
	}
	return pages
}
