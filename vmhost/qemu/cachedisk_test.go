package qemu

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/digitalocean/go-qemu/qmp"
)

// cacheFile writes an empty image of a size, changed, and returns its path.
func cacheFile(t *testing.T, dir, name string, size int64, change func([]byte)) string {
	t.Helper()
	b, err := overlayImage(size, "/etc/shadow")
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(b)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a guest that took over its QEMU could have written into a file of its cache leads
// to no other file of this computer.
func TestCacheFileAttacks(t *testing.T) {
	dir := t.TempDir()
	good := cacheFile(t, dir, "good", 1<<30, nil)
	if size, err := CheckCacheFile(good); err != nil || size != 1<<30 {
		t.Fatalf("%d %v", size, err)
	}
	be := binary.BigEndian
	link, fifo := filepath.Join(dir, "link"), filepath.Join(dir, "dir")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(fifo, 0o700); err != nil {
		t.Fatal(err)
	}
	for what, path := range map[string]string{
		"a data file":          cacheFile(t, dir, "data", 1<<30, func(b []byte) { be.PutUint64(b[72:], 1<<2) }),
		"marked as damaged":    cacheFile(t, dir, "corrupt", 1<<30, func(b []byte) { be.PutUint64(b[72:], 1<<1) }),
		"counts not written":   cacheFile(t, dir, "dirty", 1<<30, func(b []byte) { be.PutUint64(b[72:], 1) }),
		"an unknown feature":   cacheFile(t, dir, "unknown", 1<<30, func(b []byte) { be.PutUint64(b[72:], 1<<60) }),
		"encryption":           cacheFile(t, dir, "crypt", 1<<30, func(b []byte) { be.PutUint32(b[32:], 1) }),
		"an older version":     cacheFile(t, dir, "v2", 1<<30, func(b []byte) { be.PutUint32(b[4:], 2) }),
		"no disk at all":       cacheFile(t, dir, "none", 1<<30, func(b []byte) { be.PutUint64(b[24:], 0) }),
		"an endless disk":      cacheFile(t, dir, "endless", 1<<30, func(b []byte) { be.PutUint64(b[24:], 1<<63) }),
		"garbage":              cacheFile(t, dir, "garbage", 1<<30, func(b []byte) { copy(b, "#!/bin/sh\n") }),
		"a link to a good one": link,
		"a directory":          fifo,
		"nothing":              filepath.Join(dir, "nothing"),
	} {
		if _, err := CheckCacheFile(path); err == nil {
			t.Errorf("%s is accepted", what)
		}
		if err := checkCache([]string{path, good}); err == nil {
			t.Errorf("%s is plugged", what)
		}
	}
	larger := cacheFile(t, dir, "larger", 2<<30, nil)
	for what, files := range map[string][]string{
		"one file": {good}, "no file": {}, "two sizes": {good, larger}, "too many": {good, good, good, good, good, good, good, good, good},
	} {
		if err := checkCache(files); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

// QEMU opens the files that are named to it, and none that their headers name.
func TestCacheLayers(t *testing.T) {
	got, err := json.Marshal(cacheLayers([]string{"/c/2", "/c/1", "/c/0"}).arguments())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"backing":{"backing":{"backing":null,"driver":"qcow2","file":{"driver":"file","filename":"/c/0"},"node-name":"cache-base"},` +
		`"driver":"qcow2","file":{"driver":"file","filename":"/c/1"}},"discard":"unmap","driver":"qcow2","file":{"driver":"file","filename":"/c/2","node-name":"cache-file"},"node-name":"cache"}`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// talk answers a monitor as QEMU would, with the events of a job.
func talk(t *testing.T, events ...string) (*Process, <-chan []string) {
	t.Helper()
	ours, theirs := net.Pipe()
	asked := make(chan []string, 1)
	go func() {
		var all []string
		defer func() { asked <- all }()
		defer theirs.Close()
		_, _ = io.WriteString(theirs, `{"QMP":{"version":{"qemu":{"micro":0,"minor":0,"major":10},"package":""},"capabilities":[]}}`+"\n")
		d := json.NewDecoder(theirs)
		for {
			var c struct {
				Execute string
				ID      uint64
			}
			if d.Decode(&c) != nil {
				return
			}
			all = append(all, c.Execute)
			b, _ := json.Marshal(map[string]any{"return": struct{}{}, "id": c.ID})
			if _, err := theirs.Write(append(b, '\n')); err != nil {
				return
			}
			if c.Execute != "block-commit" && c.Execute != "block-job-complete" {
				continue
			}
			for len(events) > 0 {
				e := events[0]
				events = events[1:]
				_, _ = io.WriteString(theirs, e+"\n")
				if strings.Contains(e, "READY") {
					break
				}
			}
			if len(events) == 0 && c.Execute == "block-commit" {
				return
			}
		}
	}()
	p := &Process{monitor: NewMonitor(ours, nil), exited: make(chan struct{}), done: make(chan struct{}), stderr: tail{max: outputTail}}
	close(p.exited)
	close(p.done)
	t.Cleanup(func() { _ = p.monitor.Disconnect() })
	if _, err := p.monitor.Handshake(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p, asked
}

// Merging ends well only when QEMU says that all of it was copied.
func TestMergeCache(t *testing.T) {
	const ready, stamp = `{"event":"BLOCK_JOB_READY","data":{"device":"merge"},"timestamp":{"seconds":1,"microseconds":0}}`, `,"timestamp":{"seconds":1,"microseconds":0}}`
	for name, tt := range map[string]struct {
		events []string
		ok     bool
	}{
		"all copied":        {[]string{ready, `{"event":"BLOCK_JOB_COMPLETED","data":{"device":"merge","len":1,"offset":1}` + stamp}, true},
		"failed at its end": {[]string{ready, `{"event":"BLOCK_JOB_COMPLETED","data":{"device":"merge","error":"No space left on device"}` + stamp}, false},
		"an error":          {[]string{`{"event":"BLOCK_JOB_ERROR","data":{"device":"merge"}` + stamp}, false},
		"given up":          {[]string{`{"event":"BLOCK_JOB_CANCELLED","data":{"device":"merge"}` + stamp}, false},
		"QEMU ends":         {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := talk(t, tt.events...)
			ctx, cancel := context.WithTimeout(t.Context(), startTime)
			defer cancel()
			if err := p.mergeCache(ctx, []string{"/c/1", "/c/0"}); (err == nil) != tt.ok {
				t.Error(err)
			}
		})
	}
}

// A machine that fills this computer's disk by its cache is stopped, as one that does by its
// overlay is; each file is watched where it is.
func TestTheCacheIsGuarded(t *testing.T) {
	p, asked := talk(t)
	file := cacheFile(t, t.TempDir(), "run", 1<<30, nil)
	left := uint64(spaceReserve)
	var events []qmp.Event
	p.space = &spaceGuard{
		p: p, files: map[string]string{overlayFile: "/elsewhere/overlay"}, onEvent: func(e qmp.Event) { events = append(events, e) },
		free: func(_ context.Context, dir string) (uint64, error) {
			if dir == filepath.Dir(file) {
				return left, nil
			}
			return 1 << 40, nil
		},
	}
	p.space.watch(cacheFileName, file)
	if p.space.full() {
		t.Error("stopped while there is room")
	}
	left--
	if !p.space.full() || len(events) != 1 || events[0].Data["nospace"] != true {
		t.Errorf("%+v", events)
	}
	_ = p.monitor.Disconnect()
	if got := strings.Join(<-asked, " "); got != "qmp_capabilities block-set-write-threshold stop" {
		t.Error(got)
	}
}

func FuzzParseCacheHeader(f *testing.F) {
	image, err := overlayImage(16<<30, "/base")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(image[:qcow2HeaderSize])
	f.Add([]byte("QFI\xfb"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if size, err := parseCacheHeader(b); err == nil && (size <= 0 || size > maxDisk || binary.BigEndian.Uint64(b[72:]) != 0) {
			t.Errorf("%d bytes, features %x", size, b[72:80])
		}
	})
}
