package diagnostics

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"piwork/app/durable"
	"piwork/app/problem"
)

// Bounds in bytes.
const (
	MaxFile   = 256 << 10
	MaxBundle = 4 << 20
)

// File is a file of a bundle.
type File struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Text  string `json:"text"`
}

// Bundle is what is shown and written.
type Bundle struct {
	Made  time.Time
	Files []File
}

// Collector gathers the files of a bundle. It is not for several goroutines.
type Collector struct {
	redact *Redactor
	made   time.Time
	files  []File
	total  int
}

// NewCollector makes a collector; made is the time that the files get.
func NewCollector(r *Redactor, made time.Time) *Collector {
	return &Collector{redact: r, made: made.UTC()}
}

// Text adds free text, its end where it is too long.
func (c *Collector) Text(name, text string) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if most := MaxFile - 16; len(text) > most { // the end says what happened last; half a line says little
		text = text[len(text)-most:]
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		} else {
			text = ""
		}
		text = "[…]\n" + text
	}
	c.add(name, c.redact.Text(text))
}

// JSON adds a value as indented JSON; every string in it is redacted by itself.
// One that cannot be shown becomes a text that says so.
func (c *Collector) JSON(name string, v any) {
	text, err := c.redact.JSON(v)
	if err != nil {
		text = fmt.Sprintf("this part could not be written: %s\n", c.redact.Text(err.Error()))
	}
	c.add(name, text)
}

// Failed adds why a part is missing.
func (c *Collector) Failed(name string, err error) {
	c.add(name+".error.txt", c.redact.Text(err.Error())+"\n")
}

func (c *Collector) add(name, text string) {
	if len(text) > MaxFile {
		cut := MaxFile
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "\n[…]\n"
	}
	if c.total+len(text) > MaxBundle {
		text = "left out: the bundle is full\n"
	}
	c.total += len(text)
	c.files = append(c.files, File{Name: name, Bytes: int64(len(text)), Text: text})
}

// Bundle returns what was gathered.
func (c *Collector) Bundle() Bundle { return Bundle{Made: c.made, Files: c.files} }

// Zip is the bundle as a zip file. The same bundle gives the same bytes.
func (b Bundle) Zip() ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range b.Files {
		h := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: b.Made}
		h.SetMode(0o600)
		part, err := w.CreateHeader(h)
		if err != nil {
			return nil, fmt.Errorf("add %s to the bundle: %w", f.Name, err)
		}
		if _, err := part.Write([]byte(f.Text)); err != nil {
			return nil, fmt.Errorf("add %s to the bundle: %w", f.Name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("end the bundle: %w", err)
	}
	return out.Bytes(), nil
}

// Write writes the bundle to path, readable by its owner only: through a file
// beside it, which gets its name. A file that is there stays, unless replace is true;
// anything else stays in any case. It returns the size in bytes.
func (b Bundle) Write(path string, replace bool) (int64, error) {
	if err := problem.CheckOutput(path); err != nil {
		return 0, err
	}
	data, err := b.Zip()
	if err != nil {
		return 0, err
	}
	write := durable.WriteNew
	if replace {
		write = durable.WriteFile
	}
	err = write(path, data)
	if errors.Is(err, fs.ErrExist) {
		return 0, problem.New(problem.CodeOutputExists).By("name").With("path", path).Because(err)
	}
	if err != nil {
		return 0, fmt.Errorf("write the bundle: %w", err)
	}
	return int64(len(data)), nil
}

// decode turns a value into what its JSON says, numbers as they are.
func decode(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var out any
	err = d.Decode(&out)
	return out, err
}
