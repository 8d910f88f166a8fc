package operate

import (
	"context"
	"errors"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// duplicates is file.duplicates: files of the same size are read; what has the
// same content is a group.
func duplicates(ctx context.Context, r *job.Job, p *tools.FileDuplicates) error {
	files, err := files(ctx, r, r.Order.Tool.In, true)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f found) bool { return f.info.Size() < int64(p.MinSize) })
	return inParts(r, files, p.Window, lastOf, func() ([]tools.Duplicates, error) {
		groups, alone, err := sameContent(ctx, r, files)
		if err != nil {
			return nil, err
		}
		if p.Similar {
			similar, err := similar(ctx, r, alone, p.Distance)
			if err != nil {
				return nil, err
			}
			groups = append(groups, similar...)
		}
		slices.SortFunc(groups, func(a, b tools.Duplicates) int { return strings.Compare(a.Files[0].Path, b.Files[0].Path) })
		var all []tools.Duplicates
		for _, g := range groups {
			all = append(all, parts(g)...)
		}
		return all, nil
	})
}

// parts cuts a group that is too large for an answer.
func parts(g tools.Duplicates) (out []tools.Duplicates) {
	kept, size := g.Files[0], 0
	for _, f := range g.Files[1:] {
		n := job.JSONSize(f)
		if len(out) == 0 || size+n > job.MaxPart {
			out = append(out, tools.Duplicates{Kind: g.Kind, Files: []tools.FileInfo{kept}})
			size = job.JSONSize(kept)
		}
		part := &out[len(out)-1]
		part.Files = append(part.Files, f)
		part.Spare += f.Size
		size += n
	}
	return out
}

// lastOf is the last file of a group, which is in no other.
func lastOf(g tools.Duplicates) string { return g.Files[len(g.Files)-1].Path }

// headLength is how many bytes at the beginning of a file tell most files of one
// size apart: what a share answers at once. A file that has no more is read whole.
const headLength = 64 << 10

// sameContent makes groups of files with the same content. alone has the files that
// are to be kept: one of every content. A file whose size no other has is not read,
// and one that begins like no other of its size is not read on.
func sameContent(ctx context.Context, r *job.Job, all []found) (groups []tools.Duplicates, alone []found, err error) {
	sizes, total := alike(all, func(f found) int64 { return f.info.Size() }), 0
	for _, files := range sizes {
		if len(files) > 1 {
			total += len(files)
		}
	}
	looked := 0
	for _, files := range sizes {
		if len(files) == 1 {
			alone = append(alone, files[0])
			continue
		}
		begin := [][]found{files}
		if files[0].info.Size() > headLength {
			if begin, err = alikeBy(ctx, r, files, headLength, func(f found) { r.Looked(looked, total, f.path) }); err != nil {
				return nil, nil, err
			}
		}
		for _, files := range begin {
			looked += len(files)
			if len(files) == 1 {
				alone = append(alone, files[0])
				continue
			}
			n := looked - len(files)
			same, err := alikeBy(ctx, r, files, math.MaxInt64, func(f found) { r.Looked(n, total, f.path); n++ })
			if err != nil {
				return nil, nil, err
			}
			for _, files := range same {
				if len(files) > 1 {
					groups = append(groups, group("same", files))
				}
				alone = append(alone, files[0])
			}
		}
	}
	slices.SortFunc(alone, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return groups, alone, nil
}

// alike puts together what has the same of something, in the order of the first.
func alike[K comparable](files []found, what func(found) K) (out [][]found) {
	at := map[K]int{}
	for _, f := range files {
		k := what(f)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k], out = i, append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	return out
}

// alikeBy puts together the files with the same first bytes. What cannot be read is
// a problem of its own and left out.
func alikeBy(ctx context.Context, r *job.Job, files []found, length int64, looking func(found)) ([][]found, error) {
	read := make([]found, 0, len(files))
	for _, f := range files {
		looking(f)
		sum, err := sum(ctx, r, f.path, length)
		if err != nil {
			return nil, err
		}
		if sum != "" {
			f.sum = sum
			read = append(read, f)
		}
	}
	return alike(read, func(f found) string { return f.sum }), nil
}

// sum is the SHA-256 of the first bytes of a file, or "" after a problem of its own.
func sum(ctx context.Context, r *job.Job, path string, length int64) (string, error) {
	f, _, err := job.OpenInput(path, 1<<62)
	if err != nil {
		return "", r.PassOverFound(err)
	}
	defer f.Close()
	sum, _, err := job.Digest(io.LimitReader(job.ContextReader{Ctx: ctx, R: f}, length))
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		r.FoundProblem(tools.InputProblem(path, err))
		return "", nil
	}
	return sum, nil
}

// keepFirst orders files by which one is kept: the largest, the oldest, the one with the
// shortest path.
func keepFirst(a, b found) int {
	switch {
	case a.info.Size() != b.info.Size():
		return int(min(max(b.info.Size()-a.info.Size(), -1), 1))
	case !a.info.ModTime().Equal(b.info.ModTime()):
		return a.info.ModTime().Compare(b.info.ModTime())
	case len(a.path) != len(b.path):
		return len(a.path) - len(b.path)
	}
	return strings.Compare(a.path, b.path)
}

// group orders files with the one to keep first.
func group(kind string, files []found) tools.Duplicates {
	slices.SortFunc(files, keepFirst)
	d := tools.Duplicates{Kind: kind}
	for i, f := range files {
		d.Files = append(d.Files, tools.FileInfo{Path: f.path, Size: f.info.Size(), SHA256: f.sum, MTime: mtime(f.info)})
		if i > 0 {
			d.Spare += f.info.Size()
		}
	}
	return d
}

// maxPrints bounds how many pictures are compared with one another; tests lower it.
var maxPrints = 20_000

// likeness is a picture and what it looks like.
type likeness struct {
	found
	print uint64
}

// similar makes groups of pictures that look the same. That some are not compared is a
// problem of the first of them.
func similar(ctx context.Context, r *job.Job, files []found, distance int) ([]tools.Duplicates, error) {
	var pictures []likeness
	var left []string
	for n, f := range files {
		if fileKind(f.path) != kindPicture {
			continue
		}
		if len(pictures) >= maxPrints {
			left = append(left, f.path)
			continue
		}
		r.Looked(n, len(files), f.path)
		print, ok, err := print(ctx, r, n, f.path)
		if err != nil {
			return nil, err
		}
		if ok {
			f.sum = "" // they look the same and are not
			pictures = append(pictures, likeness{f, print})
		}
	}
	if len(left) > 0 {
		r.FoundProblem(tools.Problem(tools.NotCompared, left[0], strconv.Itoa(len(left))))
	}
	return likeKept(pictures, distance), nil
}

// likeKept makes groups of pictures that look like the one that is kept of each: the
// first of them in the order of [keepFirst] that looks like no other that is kept. What
// looks like a spare one only may be far from the kept one.
func likeKept(pictures []likeness, distance int) []tools.Duplicates {
	slices.SortFunc(pictures, func(a, b likeness) int { return keepFirst(a.found, b.found) })
	var kept []likeness
	var members [][]found // with the kept one
	for _, p := range pictures {
		nearest, least := -1, distance+1
		for i, k := range kept {
			if n := bits.OnesCount64(p.print ^ k.print); n < least {
				nearest, least = i, n
			}
		}
		if nearest < 0 {
			kept, members = append(kept, p), append(members, []found{p.found})
		} else {
			members[nearest] = append(members[nearest], p.found)
		}
	}
	var out []tools.Duplicates
	for _, m := range members {
		if len(m) > 1 {
			out = append(out, group("similar", m))
		}
	}
	return out
}

// print is what a picture looks like: whether it becomes brighter from each of
// 8 × 8 places to the next on the right. A picture without any contrast has
// none, as one that cannot be read, and as one of several pages or frames: two faxes
// with the same cover are not the same.
func print(ctx context.Context, r *job.Job, n int, path string) (uint64, bool, error) {
	from, err := job.OpenSource(ctx, path)
	if err != nil {
		return 0, false, job.Serious(err)
	}
	defer from.Close()
	pg, err := copyIn(ctx, r, n, from)
	if err != nil {
		return 0, false, errors.Join(job.Serious(err), r.Sweep())
	}
	if pg.info.Frames > 1 {
		return 0, false, r.Sweep()
	}
	out := tools.ScratchName(n, "print.png")
	if err = magick(ctx, r, pg, tools.MagickPrint(pg.original, pg.treat.coder, out), out); err != nil {
		return 0, false, errors.Join(job.Serious(err), r.Sweep())
	}
	hash, ok := differences(r.Scratch(out))
	return hash, ok, r.Sweep()
}

// differences reads the marks of a picture of 9 × 8 pixels.
func differences(file string) (uint64, bool) {
	f, _, err := job.OpenMade(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil || m.Bounds().Dx() != 9 || m.Bounds().Dy() != 8 {
		return 0, false
	}
	grey := func(x, y int) uint8 {
		g, _ := color.GrayModel.Convert(m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y)).(color.Gray)
		return g.Y
	}
	var hash uint64
	for y := range 8 {
		for x := range 8 {
			hash <<= 1
			if grey(x, y) < grey(x+1, y) {
				hash |= 1
			}
		}
	}
	const least = 4 // marks: less is a plain surface
	n := bits.OnesCount64(hash)
	return hash, n >= least && n <= 64-least
}
