package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Filter says which records are looked for; the zero one means all.
type Filter struct {
	Task    string    `json:"task,omitempty"`
	Client  string    `json:"client,omitempty"`
	Request string    `json:"request,omitempty"`
	Event   Event     `json:"event,omitempty"`
	About   string    `json:"about,omitempty"` // a path or an address, whose digest is looked for; or a host
	Since   time.Time `json:"since,omitzero"`
	Before  int64     `json:"before,omitempty"` // number: records before it; 0 is from the last
	Limit   int       `json:"limit,omitempty"`  // 0 is DefaultLimit
}

// Limits of Filter.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// Page are records, the latest first.
type Page struct {
	Records []Record `json:"records"`
	Before  int64    `json:"before,omitempty"`  // of the next page; 0 is that there is none
	BadLine int64    `json:"badLine,omitempty"` // number of the first record that does not hold, as of Report
}

// lets reports whether a filter lets a record through; about is the digest of what it is about.
func (f Filter) lets(r Record, about Digest) bool {
	switch {
	case !strings.HasPrefix(r.Task, f.Task), f.Client != "" && r.Client != f.Client, f.Request != "" && r.Request != f.Request,
		f.Event != "" && r.Event != f.Event, r.Time.Before(f.Since), f.Before > 0 && r.N >= f.Before:
		return false
	case f.About == "":
		return true
	}
	return r.Folder == about || r.Out == about || r.Path == about || slices.Contains(r.In, about) || r.Host == f.About || slices.Contains(r.Hosts, f.About) ||
		slices.ContainsFunc(r.Folders, func(x Folder) bool { return x.Path == about })
}

// snapshot is the log as it is on the disk at this moment, with its head as this program knows it,
// whatever stands on the disk; what is appended later is not in it.
func (l *Log) snapshot() (*os.File, *io.SectionReader, head, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := newHead(l.Key, l.from, l.at)
	f, err := os.Open(l.file)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.Open(os.DevNull) // somebody deleted it: the head says what is missing
	}
	if err != nil {
		return nil, nil, h, fmt.Errorf("read the audit log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, h, errors.Join(fmt.Errorf("read the audit log: %w", err), f.Close())
	}
	return f, io.NewSectionReader(f, 0, info.Size()), h, nil
}

// Verify follows the chain of the log as it is on the disk, to the record that this program wrote last.
func (l *Log) Verify() (Report, error) {
	file, data, h, err := l.snapshot()
	if err != nil {
		return Report{}, err
	}
	defer file.Close()
	return follow(h, nil).read(data, l.Public(), 0)
}

// Records are those that a filter lets through. Lines that are none are left out.
func (l *Log) Records(ctx context.Context, f Filter) (Page, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, MaxLimit)
	file, data, h, err := l.snapshot()
	if err != nil {
		return Page{}, err
	}
	defer file.Close()
	about := l.Digest(f.About)
	var last []Record // one more than asked for, the oldest first
	rep, err := follow(h, func(r Record) {
		if f.lets(r, about) {
			if last = append(last, r); len(last) > 2*limit {
				last = slices.Delete(last, 0, len(last)-limit-1)
			}
		}
	}).read(contextReader{ctx, data}, l.Public(), 0)
	if err != nil {
		return Page{}, err
	}
	p := Page{BadLine: rep.BadLine, Records: slices.Clone(last[max(0, len(last)-limit):])}
	slices.Reverse(p.Records)
	if len(last) > limit {
		p.Before = p.Records[limit-1].N
	}
	return p, nil
}

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// Export is the signed head as the first line and then all lines of the log, as they are:
// [VerifyExport] reads it.
func (l *Log) Export() (io.ReadCloser, error) {
	file, data, h, err := l.snapshot()
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(h)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &exported{io.MultiReader(strings.NewReader(string(line)+"\n"), data), file}, nil
}

type exported struct {
	io.Reader
	io.Closer
}
