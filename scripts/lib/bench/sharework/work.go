package sharework

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
	"unsafe"
)

// Sizes of what is done, bytes and numbers.
const (
	piece      = 256 << 10 // of coreutils
	randomSize = 4 << 10
	perDir     = 100 // small files in a directory
	smallSize  = 700
	rounds     = 3 // of stat
)

// Files of a work in its directory.
const (
	large = "large"
	small = "small"
)

// Works are what can be done in a directory. Each returns how long it took,
// without what it needs before.
var Works = map[string]func(Order) (time.Duration, error){
	"seq-write": seqWrite,
	"seq-read":  seqRead,
	"rand4k":    func(o Order) (time.Duration, error) { return random(o, os.O_RDWR) },
	"rand4k-ro": func(o Order) (time.Duration, error) { return random(o, os.O_RDONLY) },
	"create":    create,
	"stat":      stat,
	"walk":      walk,
	"overwrite": overwrite,
	"remove":    remove,
	"mixed":     mixed,
}

// seqWrite writes a large file, new, as cp(1) does.
func seqWrite(o Order) (time.Duration, error) {
	buf := make([]byte, piece)
	fill(buf)
	began := time.Now()
	f, err := os.Create(filepath.Join(o.Dir, large))
	if err != nil {
		return 0, err
	}
	for left := o.Size; left > 0 && err == nil; left -= piece {
		_, err = f.Write(buf[:min(left, piece)])
	}
	err = errors.Join(err, f.Close())
	return time.Since(began), err
}

// seqRead reads it from the beginning to the end, as cat(1) does.
func seqRead(o Order) (time.Duration, error) {
	buf := make([]byte, piece)
	fill(buf) // its pages are there
	began := time.Now()
	f, err := os.Open(filepath.Join(o.Dir, large))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	total := int64(0)
	for {
		n, err := f.Read(buf)
		total += int64(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
	}
	if total != o.Size {
		return 0, fmt.Errorf("read %d bytes of %d", total, o.Size)
	}
	return time.Since(began), f.Close()
}

// random reads and, where it may, writes pieces of 4 KiB in the large file, past
// the guest's cache, as a data base does.
func random(o Order, flag int) (time.Duration, error) {
	buf := aligned(randomSize)
	fill(buf)
	dice := rand.New(rand.NewPCG(1, 2))
	f, err := os.OpenFile(filepath.Join(o.Dir, large), flag|oDirect, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	began := time.Now()
	for i := range o.N {
		off := dice.Int64N(o.Size/randomSize) * randomSize
		if i%2 == 1 && flag == os.O_RDWR {
			_, err = f.WriteAt(buf, off)
		} else {
			_, err = f.ReadAt(buf, off)
		}
		if err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// aligned returns n bytes at the beginning of a page, as O_DIRECT wants them.
func aligned(n int) []byte {
	const page = 4 << 10
	b := make([]byte, n+page)
	skip := (page - int(uintptr(unsafe.Pointer(&b[0]))%page)) % page
	return b[skip : skip+n]
}

// each calls do for every small file, and dir before each directory of them.
func each(o Order, dir func(string) error, do func(string) error) error {
	for i := range o.N {
		d := filepath.Join(o.Dir, small, fmt.Sprint("dir", i/perDir))
		if i%perDir == 0 {
			if err := dir(d); err != nil {
				return err
			}
		}
		if err := do(filepath.Join(d, fmt.Sprint("a file with number ", i))); err != nil {
			return err
		}
	}
	return nil
}

func nothing(string) error { return nil }

// create makes small files in directories of a hundred.
func create(o Order) (time.Duration, error) {
	content := make([]byte, smallSize)
	fill(content)
	began := time.Now()
	err := os.Mkdir(filepath.Join(o.Dir, small), 0o755)
	if err == nil {
		err = each(o, func(dir string) error { return os.Mkdir(dir, 0o755) },
			func(name string) error { return os.WriteFile(name, content, 0o644) })
	}
	return time.Since(began), err
}

// overwrite gives every small file other content, as programs save.
func overwrite(o Order) (time.Duration, error) {
	content := make([]byte, smallSize+1)
	fill(content)
	began := time.Now()
	err := each(o, nothing, func(name string) error {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(content)
		return errors.Join(err, f.Close())
	})
	return time.Since(began), err
}

// stat looks at every file of a directory, several times, before those of the
// next one: as programs do that look for their parts.
func stat(o Order) (time.Duration, error) {
	began := time.Now()
	for first := 0; first < o.N; first += perDir {
		d := filepath.Join(o.Dir, small, fmt.Sprint("dir", first/perDir))
		for range rounds {
			for i := first; i < min(first+perDir, o.N); i++ {
				if _, err := os.Lstat(filepath.Join(d, fmt.Sprint("a file with number ", i))); err != nil {
					return 0, err
				}
			}
		}
	}
	return time.Since(began), nil
}

// walk lists everything with its size, as find(1) and du(1) do.
func walk(o Order) (time.Duration, error) {
	files := 0
	began := time.Now()
	err := filepath.WalkDir(filepath.Join(o.Dir, small), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() {
			files++
		}
		return err
	})
	took := time.Since(began)
	if err == nil && files != o.N {
		err = fmt.Errorf("%d small files instead of %d", files, o.N)
	}
	return took, err
}

// remove removes every small file and its directories.
func remove(o Order) (time.Duration, error) {
	began := time.Now()
	err := os.RemoveAll(filepath.Join(o.Dir, small))
	return time.Since(began), err
}

// mixed reads every small file, and of each four writes one in place, saves one as editors
// do, makes a further file beside one, and removes one.
func mixed(o Order) (time.Duration, error) {
	content := make([]byte, smallSize+1)
	fill(content)
	n := 0
	began := time.Now()
	err := each(o, nothing, func(name string) error {
		if _, err := os.ReadFile(name); err != nil {
			return err
		}
		n++
		switch beside := name + " new"; n % 4 {
		case 0:
			return os.WriteFile(name, content, 0o644)
		case 1:
			return errors.Join(os.WriteFile(beside, content, 0o644), os.Rename(beside, name))
		case 2:
			return os.WriteFile(beside, content, 0o644)
		default:
			return os.Remove(name)
		}
	})
	return time.Since(began), err
}

// fill makes content that is not the same everywhere.
func fill(b []byte) {
	dice := rand.New(rand.NewPCG(3, 4))
	for i := range b {
		b[i] = byte(dice.Uint32())
	}
}
