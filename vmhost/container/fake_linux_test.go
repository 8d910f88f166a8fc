package container

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/image"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/wire"
)

// fakeEngine answers as an engine does, or as a test says. Its containers have no agent.
type fakeEngine struct {
	socket string
	answer map[string]http.HandlerFunc // by the end of the path

	mu     sync.Mutex
	calls  []string
	images []image.Summary
	asked  []string             // for containers of which images
	given  container.HostConfig // of the last container
	ran    string               // the image of a container, "" for that which was asked for
	next   int                  // of the images that are made
	pid    int                  // of the first process of containers; 0 is not said
	podman bool
	open   atomic.Int32 // connections that are not those of streams
}

// fakeID is the ID of the image with a number.
func fakeID(n int) string { return fmt.Sprintf("sha256:%064x", n) }

func newFake(t *testing.T) *fakeEngine {
	t.Helper()
	f := &fakeEngine{socket: filepath.Join(t.TempDir(), "sock"), answer: map[string]http.HandlerFunc{}}
	l, err := net.Listen("unix", f.socket)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(f)
	s.Listener = l
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			f.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			f.open.Add(-1)
		}
	}
	s.Start()
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return f
}

func write(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

const goodInfo = `{"OSType":"linux","SecurityOptions":["name=seccomp,profile=default"],"PidsLimit":true,"MemoryLimit":true,"CpuCfsQuota":true,"MemTotal":8000}`

func (f *fakeEngine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.calls = append(f.calls, r.Method+" "+r.URL.Path)
	f.mu.Unlock()
	for end, answer := range f.answer {
		if strings.HasSuffix(r.URL.Path, end) {
			answer(w, r)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if f.podman {
		w.Header().Set("Libpod-Api-Version", "4.3.1")
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/_ping"):
		w.Header().Set("Api-Version", "1.44")
	case strings.HasSuffix(r.URL.Path, "/info"):
		io.WriteString(w, goodInfo)
	case strings.HasSuffix(r.URL.Path, "/containers/json"):
		write(w, []container.Summary{})
	case strings.HasSuffix(r.URL.Path, "/images/json"):
		f.mu.Lock()
		defer f.mu.Unlock()
		write(w, f.images)
	case strings.HasSuffix(r.URL.Path, "/images/create") && !f.podman:
		write(w, map[string]string{"status": f.make(r)})
	case r.URL.Path == "/v4.0.0/libpod/images/import" && f.podman && slices.Equal(r.URL.Query()["changes"], imageOptions("0123456789abcdef", "me").Changes):
		write(w, map[string]string{"Id": strings.TrimPrefix(f.make(r), "sha256:")})
	case strings.HasSuffix(r.URL.Path, "/containers/create"):
		var asked struct {
			Image      string
			HostConfig container.HostConfig
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.asked, f.given = append(f.asked, asked.Image), asked.HostConfig
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, `{"Id":"1"}`)
	case strings.HasSuffix(r.URL.Path, "/attach"):
		attach(w, frame(streamErr, "its last words"))
	case strings.HasSuffix(r.URL.Path, "/start"):
		w.WriteHeader(http.StatusNoContent)
	case strings.HasSuffix(r.URL.Path, "/wait"):
		io.WriteString(w, `{"StatusCode":3}`)
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/json"):
		f.mu.Lock()
		defer f.mu.Unlock()
		write(w, map[string]any{"Image": cmp.Or(f.ran, f.asked[len(f.asked)-1]), "State": map[string]int{"Pid": f.pid}})
	case r.Method == http.MethodDelete && strings.Contains(r.URL.Path, "/images/"):
		f.mu.Lock()
		defer f.mu.Unlock()
		f.images = slices.DeleteFunc(f.images, func(i image.Summary) bool { return i.ID == path.Base(r.URL.Path) })
		write(w, []any{})
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusNotImplemented)
	}
}

// make makes the image that a request brings.
func (f *fakeEngine) make(r *http.Request) string {
	n, _ := io.Copy(io.Discard, r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	f.images = append(f.images, image.Summary{ID: fakeID(f.next), Labels: map[string]string{labelImage: "0123456789abcdef", labelOwner: "me"}, Size: n})
	return fakeID(f.next)
}

// attach is the answer to one who attaches, and what a container says then.
func attach(w http.ResponseWriter, said string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	io.WriteString(conn, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"+said)
}

func frame(kind byte, s string) string {
	return string(binary.BigEndian.AppendUint32([]byte{kind, 0, 0, 0}, uint32(len(s)))) + s
}

// fakeConfig is a container at a fake engine.
func fakeConfig(t *testing.T, f *fakeEngine) Config {
	t.Helper()
	root, agent := t.TempDir(), filepath.Join(t.TempDir(), "guest")
	if err := errors.Join(os.WriteFile(filepath.Join(root, "file"), []byte("x"), 0o644), os.WriteFile(agent, []byte("agent"), 0o755)); err != nil {
		t.Fatal(err)
	}
	timing := hosted.Patient
	timing.Connect, timing.Evidence = 10*time.Second, 10*time.Second
	return Config{
		Dir: filepath.Join(t.TempDir(), "container"), Root: root, Agent: agent, Digest: "0123456789abcdef", Owner: "me", Engine: f.socket, Imports: filepath.Join(t.TempDir(), "cache", "images.json"),
		Timing: timing, Answer: time.Minute, Log: slog.New(slog.DiscardHandler),
	}
}

// connect fails, since no fake container has an agent.
func connect(t *testing.T, c Config) *vmhost.FailedError {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	err = r.Connect(soon(t))
	var failed *vmhost.FailedError
	if !errors.As(err, &failed) {
		t.Fatalf("Connect: %v", err)
	}
	_ = r.Close(soon(t)) // of an engine that is lost, something is left
	return failed
}

// The engine is asked for what a container needs, once for an image, and a container is
// removed whatever became of it.
func TestCalls(t *testing.T) {
	t.Run("Docker", func(t *testing.T) { calls(t, false, "/images/create") })
	t.Run("Podman", func(t *testing.T) { calls(t, true, "/libpod/images/import") }) // its /images/create leaves the archive on the disk
}

func calls(t *testing.T, podman bool, create string) {
	f := newFake(t)
	f.next, f.podman = 1, podman
	f.images = []image.Summary{{ID: fakeID(1), Labels: map[string]string{labelImage: "fedc", labelOwner: "me"}}}
	c := fakeConfig(t, f)
	for range 2 {
		if failed := connect(t, c); failed.Reason != vmhost.ReasonStart || failed.Detail != "its last words" || !strings.Contains(failed.Error(), "ended with 3") {
			t.Errorf("%v, %q", failed, failed.Detail)
		}
	}
	count := func(what string) (n int) {
		for _, c := range f.calls {
			if strings.Contains(c, what) {
				n++
			}
		}
		return n
	}
	for began := time.Now(); f.open.Load() > 0; <-time.After(5 * time.Millisecond) {
		if time.Since(began) > 5*time.Second {
			t.Fatalf("%d connections are left", f.open.Load())
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if count(create) != 1 || count("DELETE /v1.44/images/"+fakeID(1)) == 0 || count("/containers/create") != 2 || count("DELETE /v1.44/containers/piwork-") != 2 {
		t.Errorf("%q", f.calls)
	}
	if f.images[len(f.images)-1].Size < 10 {
		t.Errorf("the image: %+v", f.images)
	}
}

// A size is that of the container where the engine holds sizes; where it does not, it is only
// refused when a task asks for it.
func TestSize(t *testing.T) {
	f := newFake(t)
	c := fakeConfig(t, f)
	c.Size = Size{MemoryMB: 700, CPUs: 0.5}
	connect(t, c)
	if f.given.Memory != 700<<20 || f.given.MemorySwap != 700<<20 || f.given.NanoCPUs != 500_000_000 {
		t.Errorf("%+v", f.given.Resources)
	}
	f.answer["/info"] = text(strings.NewReplacer(`"MemoryLimit":true`, `"MemoryLimit":false`, `"CpuCfsQuota":true`, `"CpuCfsQuota":false`).Replace(goodInfo))
	connect(t, c)
	if f.given.Memory != 0 || f.given.NanoCPUs != 0 {
		t.Errorf("%+v", f.given.Resources)
	}
}

// endless never ends, and hang says nothing; both end with the test.
func endless(b string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, b); err != nil {
				return
			}
		}
	}
}

func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) }
}

func status(code int, said string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		write(w, map[string]string{"message": said})
	}
}

// An engine that answers what no engine does, without end or not at all, is lost; one that
// refuses is not.
func TestHostileEngine(t *testing.T) {
	for _, call := range []string{"/info", "/containers/json", "/images/json", "/images/create", "/images/import", "/containers/create", "/attach", "/start"} {
		for name, tt := range map[string]struct {
			answer http.HandlerFunc
			reason vmhost.Reason
			except []string // calls whose answer is not read, or not so
		}{
			"an endless answer": {endless(`[{"a":"` + strings.Repeat("b", 1<<16)), vmhost.ReasonEngineLost, []string{"/start", "/attach"}},
			"no JSON":           {text("<html>"), vmhost.ReasonEngineLost, []string{"/start", "/attach"}},
			"another JSON":      {text(`"text"`), vmhost.ReasonEngineLost, []string{"/start", "/attach"}},
			"nothing":           {hang, vmhost.ReasonEngineLost, nil},
			"an error":          {status(http.StatusInternalServerError, "no"), vmhost.ReasonStart, []string{"/info", "/attach"}},
			"an endless error": {func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusInternalServerError)
				endless("no ")(w, r)
			}, "", nil},
			"the end of the connection": {func(w http.ResponseWriter, _ *http.Request) {
				if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
					c.Close()
				}
			}, vmhost.ReasonEngineLost, nil},
		} {
			if slices.Contains(tt.except, call) {
				continue
			}
			t.Run(name+" to "+strings.Trim(call, "/"), func(t *testing.T) {
				t.Parallel()
				f := newFake(t)
				f.answer[call] = tt.answer
				f.podman = call == "/images/import"
				c := fakeConfig(t, f)
				if name == "nothing" {
					c.Answer = 200 * time.Millisecond
				}
				if failed := connect(t, c); tt.reason != "" && failed.Reason != tt.reason {
					t.Errorf("%s: %v", failed.Reason, failed)
				}
			})
		}
	}
}

// What a container says that is no frame ends it, and what it says without end does not
// fill the memory.
func TestHostileStreams(t *testing.T) {
	for name, tt := range map[string]struct {
		said   string
		reason vmhost.Reason
	}{
		"no frames":          {strings.Repeat("hello", 100), vmhost.ReasonStart},
		"a frame of nothing": {frame(streamOut, ""), vmhost.ReasonStart},
		"half a head":        {"\x01\x00\x00", vmhost.ReasonStart},
		"a frame too large":  {"\x02\x00\x00\x00\xff\xff\xff\xff" + strings.Repeat("x", 1<<20), vmhost.ReasonStart},
		"a long line":        {frame(streamOut, strings.Repeat("x", 4<<20)), vmhost.ReasonProtocol},
		"no message":         {frame(streamOut, "hello\n"), vmhost.ReasonProtocol},
		"of the input":       {frame(0, "hello\n"), vmhost.ReasonStart},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.answer["/attach"] = func(w http.ResponseWriter, _ *http.Request) { attach(w, tt.said) }
			if failed := connect(t, fakeConfig(t, f)); failed.Reason != tt.reason || len(failed.Detail) > 16<<10 {
				t.Errorf("%v", failed)
			}
		})
	}
}

// An engine that does not keep programs in is refused, and so is what it cannot do.
func TestEngineThatCannot(t *testing.T) {
	for name, tt := range map[string]struct {
		info   string
		change func(*Config)
		want   string
	}{
		"of Windows":    {strings.Replace(goodInfo, "linux", "windows", 1), nil, "windows"},
		"no seccomp":    {strings.Replace(goodInfo, "name=seccomp,profile=default", "name=seccompless", 1), nil, "seccomp"},
		"no profile":    {strings.Replace(goodInfo, "profile=default", "profile=unconfined", 1), nil, "seccomp"},
		"no bound":      {strings.Replace(goodInfo, `"PidsLimit":true`, `"PidsLimit":false`, 1), nil, "processes"},
		"no memory":     {strings.Replace(goodInfo, `"MemoryLimit":true`, `"MemoryLimit":false`, 1), func(c *Config) { c.Size = Size{MemoryMB: 100, Must: true} }, "memory"},
		"no processors": {strings.Replace(goodInfo, `"CpuCfsQuota":true`, `"CpuCfsQuota":false`, 1), func(c *Config) { c.Size = Size{CPUs: 1, Must: true} }, "processors"},
		"SELinux":       {strings.Replace(goodInfo, `["name`, `["name=selinux","name`, 1), serves, "folders"},
		"other users":   {strings.Replace(goodInfo, `["name`, `["name=userns","name`, 1), serves, "folders"},
		"no user":       {strings.Replace(goodInfo, `["name`, `["name=rootless","name`, 1), serves, "folders"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.answer["/info"] = text(tt.info)
			c := fakeConfig(t, f)
			if tt.change != nil {
				tt.change(&c)
			}
			r, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			var unsupported *vmhost.UnsupportedError
			if err := r.Connect(soon(t)); !errors.As(err, &unsupported) || !strings.Contains(unsupported.What, tt.want) {
				t.Errorf("Connect: %v", err)
			}
			if err := r.Close(soon(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// An engine that says that it filters system calls, and does not, is found out by the kernel's
// word on the container's first process. A process of something else says nothing.
func TestEngineThatFiltersNothing(t *testing.T) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	none := strings.Contains(string(status), "\nSeccomp:\t0\n") // a filter of ours is one of all that is started here
	first := exec.CommandContext(t.Context(), "sleep", "60")
	first.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID}
	other := exec.CommandContext(t.Context(), "sleep", "60")
	if err := errors.Join(first.Start(), other.Start()); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = first.Process.Kill(), other.Process.Kill(); _, _ = first.Wait(), other.Wait() }()
	for pid, refused := range map[int]bool{first.Process.Pid: none, other.Process.Pid: false, 1 << 30: false} {
		f := newFake(t)
		f.pid = pid
		r, err := New(fakeConfig(t, f))
		if err != nil {
			t.Fatal(err)
		}
		var unsupported *vmhost.UnsupportedError
		if err := r.Connect(soon(t)); errors.As(err, &unsupported) != refused || refused && !strings.Contains(unsupported.What, "seccomp") {
			t.Errorf("process %d: %v", pid, err)
		}
		if err := r.Close(soon(t)); err != nil {
			t.Error(err)
		}
	}
}

func TestUnfiltered(t *testing.T) {
	for status, want := range map[string]bool{
		"Name:\tguest\nNSpid:\t77\t1\nSeccomp:\t0\n":    true,
		"Name:\tguest\nNSpid:\t77\t1\nSeccomp:\t2\n":    false,
		"Name:\tguest\nNSpid:\t77\t9\t1\nSeccomp:\t0\n": true,
		"Name:\tsh\nNSpid:\t77\nSeccomp:\t0\n":          false,
		"Name:\tsh\nNSpid:\t77\t12\nSeccomp:\t0\n":      false,
		"": false,
	} {
		if unfiltered(status) != want {
			t.Errorf("%q", status)
		}
	}
}

// An engine that cannot show folders has copies of them, in memory, and nothing is mounted;
// it says so before.
func TestEngineThatWorksOnCopies(t *testing.T) {
	for _, more := range []string{`["name=selinux","name`, `["name=rootless","name`, `["name=userns","name`} {
		f := newFake(t)
		f.answer["/info"] = text(strings.Replace(goodInfo, `["name`, more, 1))
		c := fakeConfig(t, f)
		serves(&c)
		c.Copy = func(string) (hosted.Folders, error) { return nil, errors.New("nobody is to copy before it runs") }
		if failed := connect(t, c); failed.Reason != vmhost.ReasonStart || !strings.Contains(failed.Error(), "ended with 3") {
			t.Errorf("%v", failed)
		}
		if len(f.given.Mounts) > 0 || f.given.Tmpfs[wire.FoldersDir] == "" || f.given.Tmpfs[wire.FoldersDir+"/"+wire.StateName] == "" {
			t.Errorf("%+v", f.given)
		}
		if _, err := os.Stat(c.Dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("its directory is left: %v", err)
		}
		t.Setenv("DOCKER_HOST", "unix://"+f.socket)
		if _, e, err := Find(t.Context()); err != nil || !e.Copies {
			t.Errorf("%+v %v", e, err)
		}
	}
}

func serves(c *Config) {
	c.ServeFUSE = func(context.Context, *os.File, int) error { return errors.New("nobody is to be served") }
}

// Where nobody listens, that has a reason of its own.
func TestNoEngine(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	f := newFake(t)
	if got, err := listening(t.Context(), []string{filepath.Join(dir, "none"), stale, f.socket}); err != nil || !slices.Equal(got, []string{f.socket}) {
		t.Errorf("%q %v", got, err)
	}
	t.Setenv("DOCKER_HOST", "unix://"+stale)
	c := fakeConfig(t, f)
	c.Engine = ""
	if failed := connect(t, c); failed.Reason != vmhost.ReasonEngineMissing || failed.Detail == "" {
		t.Errorf("%v", failed)
	}
}

// Of several engines one without the rights of root is taken, whatever comes before it; one
// that cannot do what is asked, or says nothing, is left out. One of the person that says nothing is
// not replaced by one of root: that would be weaker, and nobody would know.
func TestBestEngine(t *testing.T) {
	rootless := strings.Replace(goodInfo, `["name`, `["name=rootless","name`, 1)
	engines := map[string]*fakeEngine{}
	for name, info := range map[string]string{
		"root": goodInfo, "another of root": goodInfo, "of the person": rootless, "another system": strings.Replace(goodInfo, "linux", "windows", 1), "nonsense": "<html>",
	} {
		engines[name] = newFake(t)
		engines[name].answer["/info"] = text(info)
	}
	engines["silent"] = newFake(t)
	engines["silent"].answer["/info"] = hang
	for want, names := range map[string][]string{
		"of the person": {"root", "nonsense", "of the person", "another of root"}, "root": {"silent", "another system", "root", "another of root"}, "": {"another system", "nonsense"},
	} {
		var all []string
		for _, n := range names {
			all = append(all, engines[n].socket)
		}
		e, err := best(t.Context(), all, all, &Config{Answer: 2 * time.Second})
		var unsupported *vmhost.UnsupportedError
		switch {
		case want == "":
			if !errors.As(err, &unsupported) {
				t.Errorf("%v", err)
			}
		case err != nil || e.socket != engines[want].socket:
			t.Errorf("%q: %+v %v", names, e, err)
		}
		if e != nil {
			e.Close()
		}
	}
	var failed *vmhost.FailedError
	shared := []string{engines["root"].socket}
	if e, err := best(t.Context(), []string{engines["silent"].socket, shared[0]}, shared, &Config{Answer: 200 * time.Millisecond}); !errors.As(err, &failed) || failed.Reason != vmhost.ReasonEngineLost {
		t.Errorf("%+v %v", e, err)
	}
	if e, err := best(t.Context(), []string{engines["silent"].socket, shared[0], engines["of the person"].socket}, shared, &Config{Answer: 200 * time.Millisecond}); err != nil || !e.info.rootless {
		t.Errorf("another one of the person: %+v %v", e, err)
	} else {
		e.Close()
	}
	// One of root is taken for folders where that of the person cannot have any.
	e, err := best(t.Context(), []string{engines["of the person"].socket, engines["root"].socket}, nil, &Config{Answer: 2 * time.Second, ServeFUSE: func(context.Context, *os.File, int) error { return nil }})
	if err != nil || e.info.rootless {
		t.Fatalf("%+v %v", e, err)
	}
	e.Close()
}

// What was proven of an engine is not of another one that listens at the same socket later,
// nor of another version. Podman has another ID in each answer, which is none.
func TestEngineIdentity(t *testing.T) {
	f := newFake(t)
	t.Setenv("DOCKER_HOST", "unix://"+f.socket)
	found := func(info, podman string) (string, vmhost.Engine) {
		t.Helper()
		f.answer["/info"] = func(w http.ResponseWriter, _ *http.Request) {
			if podman != "" {
				w.Header().Set("Libpod-Api-Version", podman)
			}
			io.WriteString(w, strings.TrimSuffix(goodInfo, "}")+","+info+"}")
		}
		id, e, err := Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return id, *e
	}
	docker, e := found(`"ID":"a","ServerVersion":"20.10"`, "")
	if again, same := found(`"ID":"a","ServerVersion":"20.10"`, ""); again != docker || same != e || e != (vmhost.Engine{Name: "Docker", Version: "20.10", Socket: f.socket, Sizes: true}) {
		t.Errorf("%s %+v, then %s", docker, e, again)
	}
	podman, e := found(`"ID":"1","DockerRootDir":"/a","Name":"b","ServerVersion":"4.3"`, "4.3")
	if again, _ := found(`"ID":"2","DockerRootDir":"/a","Name":"b","ServerVersion":"4.3"`, "4.3"); again != podman || e.Name != "Podman" {
		t.Errorf("%s %+v, then %s", podman, e, again)
	}
	seen := map[string]bool{docker: true, podman: true}
	for info, version := range map[string]string{
		`"ID":"b","ServerVersion":"20.10"`: "", `"ID":"a","ServerVersion":"21"`: "", `"ID":"a","ServerVersion":"20.10","SecurityOptions":["name=seccomp","name=rootless"]`: "",
		`"ID":"1","DockerRootDir":"/b","Name":"b","ServerVersion":"4.3"`: "4.3", `"ID":"1","DockerRootDir":"/a","Name":"b","ServerVersion":"5"`: "5",
	} {
		id, _ := found(info, version)
		if seen[id] {
			t.Errorf("%s is %s", info, id)
		}
		seen[id] = true
	}
}

func TestSockets(t *testing.T) {
	for name, tt := range map[string]struct {
		env  map[string]string
		want string // "" is an error
	}{
		"usual": {map[string]string{"XDG_RUNTIME_DIR": "/run/user/7"},
			"/run/user/7/podman/podman.sock /run/user/7/docker.sock /run/podman/podman.sock /var/run/docker.sock"},
		"elsewhere": {map[string]string{"XDG_RUNTIME_DIR": "/x"},
			"/x/podman/podman.sock /x/docker.sock /run/user/7/podman/podman.sock /run/user/7/docker.sock /run/podman/podman.sock /var/run/docker.sock"},
		"none":             {nil, "/run/user/7/podman/podman.sock /run/user/7/docker.sock /run/podman/podman.sock /var/run/docker.sock"},
		"relative":         {map[string]string{"XDG_RUNTIME_DIR": "x"}, "/run/user/7/podman/podman.sock /run/user/7/docker.sock /run/podman/podman.sock /var/run/docker.sock"},
		"chosen":           {map[string]string{"DOCKER_HOST": "unix:///a/b"}, "/a/b"},
		"another computer": {map[string]string{"DOCKER_HOST": "tcp://a:1"}, ""},
		"no address":       {map[string]string{"DOCKER_HOST": "%"}, ""},
	} {
		got, err := sockets(func(s string) string { return tt.env[s] }, 7)
		if s := strings.Join(got, " "); s != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %s %v", name, s, err)
		}
	}
}

// What the agent says is read whole, however it comes, and a deadline costs none of it.
func TestStream(t *testing.T) {
	here, there := net.Pipe()
	var said hosted.Tail
	s := newStream(here, here, &said)
	all := frame(streamOut, "hello, ") + frame(streamErr, "trouble") + frame(streamOut, "") + frame(streamOut, "agent")
	go func() {
		for _, b := range []byte(all) {
			there.Write([]byte{b})
		}
		there.Close()
	}()
	var got []byte
	buf := make([]byte, 3)
	for {
		s.SetReadDeadline(time.Now().Add(time.Millisecond))
		n, err := s.Read(buf)
		got = append(got, buf[:n]...)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			continue
		}
		if err != nil {
			break
		}
	}
	if string(got) != "hello, agent" || said.String() != "trouble" {
		t.Errorf("%q %q", got, said.String())
	}
	<-s.over
	if _, err := s.Read(buf); err == nil {
		t.Error("more comes")
	}
}
