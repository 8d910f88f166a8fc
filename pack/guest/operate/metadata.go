package operate

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/picture"
)

// metadataBatch is how many files one call of exiftool reads: starting Perl
// takes longer than reading a file.
const metadataBatch = 50

// metadataRead is metadata.read.
func metadataRead(ctx context.Context, r *job.Job, p *tools.MetadataRead) error {
	in := r.Order.Tool.In
	for first := 0; first < len(in); first += metadataBatch {
		last := min(first+metadataBatch, len(in))
		if full, err := readMetadata(ctx, r, p, first, in[first:last]); err != nil || full {
			return err
		}
	}
	return nil
}

// readMetadata reads a batch, and reports as much of it as the answer has room for.
func readMetadata(ctx context.Context, r *job.Job, p *tools.MetadataRead, first int, batch []string) (full bool, err error) {
	var names []string
	refused := map[string]error{}
	for i, path := range batch {
		name := tools.ScratchName(first+i, "in")
		_, err := r.Take(ctx, path, name, tools.MaxMetadataSize, nil)
		if job.Serious(err) != nil {
			return false, err
		}
		if refused[name] = err; err == nil {
			names = append(names, name)
		}
	}
	var tags map[string]map[string]any
	var end tools.Ending
	if len(names) > 0 {
		if tags, end, err = askExif(ctx, r, p, names); err != nil {
			return false, err
		}
	}
	for i, path := range batch {
		name := tools.ScratchName(first+i, "in")
		switch said, ok := tags[name]; {
		case refused[name] != nil:
			_ = r.PassOver(refused[name]) // it is not serious
		case ok:
			reportTags(r, path, said)
		default:
			r.AddProblem(tools.Problem(end.Code(tools.InputBroken), path, end.Stderr))
		}
		r.Done(first+i+1, path)
		if r.Full() && first+i+1 < len(r.Order.Tool.In) {
			r.AddProblem(tools.Problem(tools.MoreResults, path, ""))
			return true, nil
		}
	}
	return false, r.Sweep()
}

// askExif returns the tags of files, by scratch name.
func askExif(ctx context.Context, r *job.Job, p *tools.MetadataRead, names []string) (map[string]map[string]any, tools.Ending, error) {
	const printed = "tags.json"
	argv := tools.ExifRead(p, names)
	end, err := r.ExecTo(ctx, argv, printed)
	if err != nil {
		return nil, end, err
	}
	b, err := job.ReadBounded(r.Scratch(printed), maxPrinted)
	if err != nil {
		return nil, end, &job.Error{Code: tools.ToolFailed, Err: err}
	}
	var all []map[string]any
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.UseNumber()
	if len(b) > 0 {
		if err := dec.Decode(&all); err != nil {
			return nil, end, job.ProgramError(argv, end)
		}
	}
	out := map[string]map[string]any{}
	for _, tags := range all {
		if name, _ := tags["SourceFile"].(string); name != "" {
			out[name] = tags
		}
	}
	return out, end, nil
}

// reportTags reports the tags of a file.
func reportTags(r *job.Job, path string, tags map[string]any) {
	if words, bad := tags["ExifTool:Error"].(string); bad {
		code := tools.InputBroken
		if strings.Contains(words, "Unknown file type") || strings.Contains(words, "File format error") {
			code = tools.InputUnsupported
		}
		r.AddProblem(tools.Problem(code, path, words))
		return
	}
	out := tools.MetadataInfo{Path: path, Tags: map[string]any{}}
	const most = 500 // tags of a file
	size := 0
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		if name == "SourceFile" || strings.HasPrefix(name, "ExifTool:") || len(out.Tags) >= most || len(name) > 200 {
			continue
		}
		v := tag(tags[name])
		if size += job.JSONSize(name) + job.JSONSize(v); size > job.MaxPart {
			break
		}
		out.Tags[name] = v
	}
	r.AddInfo(out)
}

// tag bounds a value.
func tag(v any) any {
	switch v := v.(type) {
	case string:
		return job.Bounded(v)
	case json.Number, bool:
		return v
	case []any:
		var out []any
		for _, e := range v[:min(len(v), 100)] {
			out = append(out, tag(e))
		}
		return out
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return job.Bounded(string(b))
}

// eachExif has exiftool make one file of each; it tells the kind of a file by
// its content, and that of the result by its suffix. finish does what exiftool does
// not, for kinds that have one.
func eachExif(ctx context.Context, r *job.Job, to tools.Each, argv func(inputs []string, dir string) []string, finish map[string]func(file string) error) error {
	batch := &exifBatch{Job: r, argv: argv}
	return r.Each(ctx, to, "", func(ctx context.Context, n int, path string) (*job.Piece, error) {
		if n >= batch.end {
			if err := batch.fill(ctx, n); err != nil {
				return nil, err
			}
		}
		if err := batch.refused[n]; err != nil {
			return nil, err
		}
		in := batch.files[n]
		out, kind := filepath.Join(job.KeptDir, "out", filepath.Base(in)), strings.TrimPrefix(filepath.Ext(in), ".")
		if _, err := r.ScratchSize(out); err != nil {
			return nil, job.Refuse(batch.ended.Code(tools.InputBroken), path, about(batch.ended.Stderr, filepath.Base(in)))
		}
		if f := finish[kind]; f != nil {
			err := f(r.Scratch(out))
			if bad, is := errors.AsType[*picture.Error](err); is {
				code := tools.InputBroken
				if bad.Unsupported {
					code = tools.InputUnsupported
				}
				err = job.Refuse(code, path, bad.Detail)
			}
			if err != nil {
				return nil, err
			}
		}
		if kind != formatPDF {
			return &job.Piece{File: out, Suffix: kind}, nil
		}
		clean := tools.ScratchName(n, "clean.pdf") // else what was there before is still in it
		return &job.Piece{File: clean, Suffix: kind}, pdfTool(ctx, r, path, tools.QPDFRewrite(out, clean), "")
	})
}

// exifBatch are inputs that one call of exiftool works on.
type exifBatch struct {
	*job.Job
	argv    func(inputs []string, dir string) []string
	end     int            // the input after the last of it
	files   map[int]string // scratch names
	refused map[int]error
	ended   tools.Ending
}

// fill takes the next inputs and has exiftool work on them.
func (b *exifBatch) fill(ctx context.Context, first int) error {
	in := b.Order.Tool.In
	b.end, b.files, b.refused = min(first+metadataBatch, len(in)), map[int]string{}, map[int]error{}
	if err := b.ScratchRemove(job.KeptDir); err != nil {
		return err
	}
	if err := b.ScratchDir(filepath.Join(job.KeptDir, "out")); err != nil {
		return err
	}
	var names []string
	for n := first; n < b.end; n++ {
		kind := ""
		taken, err := b.Take(ctx, in[n], filepath.Join(job.KeptDir, tools.ScratchName(n, "in")), tools.MaxMetadataSize, func(head []byte) string {
			if kind = writableKind(head); kind == "" {
				return "the metadata of such a file cannot be written"
			}
			return ""
		})
		if job.Serious(err) != nil {
			return err
		}
		if b.refused[n] = err; err != nil {
			continue
		}
		name := filepath.Join(job.KeptDir, tools.ScratchName(n, kind))
		if err := b.ScratchRename(taken.Name, name); err != nil {
			return err
		}
		b.files[n] = name
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil
	}
	argv := b.argv(names, filepath.Join(job.KeptDir, "out")+"/")
	var err error
	b.ended, err = b.Exec(ctx, argv)
	if err == nil && b.ended.Code("") == tools.DiskFull {
		err = job.ProgramError(argv, b.ended)
	}
	return err
}

// about is what words say of a file, line by line, or all of them.
func about(words, name string) string {
	var lines []string
	for line := range strings.SplitSeq(words, "\n") {
		if strings.Contains(line, name) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return words
	}
	return strings.Join(lines, "\n")
}

// writableKind is the suffix of a file whose metadata can be written, by its
// beginning.
func writableKind(head []byte) string {
	s := string(head)
	switch {
	case strings.HasPrefix(s, "\xFF\xD8\xFF"):
		return "jpg"
	case strings.HasPrefix(s, "\x89PNG\r\n\x1A\n"):
		return "png"
	case strings.HasPrefix(s, "GIF8"):
		return "gif"
	case strings.HasPrefix(s, "II*\x00"), strings.HasPrefix(s, "MM\x00*"):
		return kindTIFF
	case strings.HasPrefix(s, "RIFF") && len(s) > 12 && s[8:12] == "WEBP":
		return "webp"
	case job.IsPDF(head):
		return formatPDF
	case len(s) > 12 && s[4:8] == "ftyp":
		switch s[8:12] {
		case "heic", "heix", "mif1", "msf1", "hevc":
			return "heic"
		case "avif", "avis":
			return "avif"
		case "qt  ":
			return "mov"
		case "M4A ":
			return "m4a"
		}
		return "mp4"
	}
	return ""
}

// metadataWrite is metadata.write.
func metadataWrite(ctx context.Context, r *job.Job, p *tools.MetadataWrite) error {
	return eachExif(ctx, r, p.Each, func(in []string, dir string) []string { return tools.ExifWrite(p, in, dir) }, nil)
}

// metadataStrip is metadata.strip.
func metadataStrip(ctx context.Context, r *job.Job, p *tools.MetadataStrip) error {
	return eachExif(ctx, r, p.Each, func(in []string, dir string) []string { return tools.ExifStrip(p, in, dir) },
		map[string]func(string) error{kindTIFF: wipeTIFF})
}

// kindTIFF is a TIFF among the kinds of [writableKind].
const kindTIFF = "tif"

// wipeTIFF takes out of a TIFF what exiftool leaves there: in a TIFF, texts and the
// picture lie side by side.
func wipeTIFF(file string) error {
	f, st, err := job.OpenScratch(file, os.O_RDWR)
	if err != nil {
		return err
	}
	return errors.Join(picture.WipeTIFF(f, st.Size()), f.Close())
}
