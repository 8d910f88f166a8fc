//go:build vm && linux

package guestvm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// notes collects the notifications of a guest.
type notes struct {
	mu     sync.Mutex
	output map[string]*bytes.Buffer // id/stream
	tools  []wire.ToolProgress
	lines  []string      // of the log
	first  chan struct{} // closed at the first output
	once   sync.Once
}

func newNotes() *notes { return &notes{output: map[string]*bytes.Buffer{}, first: make(chan struct{})} }

func (n *notes) take(method string, params json.RawMessage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch method {
	case wire.NotifyExecOutput:
		var o wire.ExecOutput
		if json.Unmarshal(params, &o) != nil || o.Validate() != nil {
			return
		}
		key := o.ID + "/" + o.Stream
		if n.output[key] == nil {
			n.output[key] = &bytes.Buffer{}
		}
		n.output[key].Write(o.Data)
		n.once.Do(func() { close(n.first) })
	case wire.NotifyToolProgress:
		var p wire.ToolProgress
		if json.Unmarshal(params, &p) == nil && p.Validate() == nil {
			n.tools = append(n.tools, p)
		}
	case wire.NotifyLog:
		var l wire.LogLine
		if json.Unmarshal(params, &l) == nil && l.Validate() == nil {
			about := ""
			if l.Op != "" {
				about = "tool " + l.Op + " run " + l.Run
				if l.Request != "" {
					about += " request " + l.Request
				}
				about += ": "
			}
			n.lines = append(n.lines, about+l.Text)
		}
	}
}

// await waits for lines of the log that begin so.
func (n *notes) await(t *testing.T, begins ...string) {
	t.Helper()
	for began := time.Now(); ; <-time.After(10 * time.Millisecond) {
		n.mu.Lock()
		lines := slices.Clone(n.lines)
		n.mu.Unlock()
		begins = slices.DeleteFunc(begins, func(b string) bool {
			return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, b) })
		})
		if len(begins) == 0 {
			return
		}
		if time.Since(began) > stall {
			t.Fatalf("no line %q in %q", begins, lines)
		}
	}
}

func (n *notes) text(key string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.output[key] == nil {
		return ""
	}
	return n.output[key].String()
}

// prepare makes a booted guest ready for work.
func prepare(m *Machine, layers ...wire.Layer) {
	m.T.Helper()
	Call[wire.Hello](m, wire.MethodHello, wire.HelloParams{Version: wire.Version, App: "test"})
	Call[wire.Empty](m, wire.MethodPrepare, wire.PrepareParams{
		UnixNano: time.Now().UnixNano(), Entropy: bytes.Repeat([]byte{7}, 64), Hostname: "workroom", TimeZone: "Europe/Berlin", Layers: layers,
	})
}

// run runs a script in the guest.
func run(m *Machine, id, script string, change ...func(*wire.ExecParams)) wire.ExecResult {
	m.T.Helper()
	p := wire.ExecParams{ID: id, Argv: []string{"bash", "-c", script}}
	for _, f := range change {
		f(&p)
	}
	r := Call[wire.ExecResult](m, wire.MethodExecRun, p)
	if err := r.Validate(); err != nil {
		m.T.Error(err)
	}
	return r
}

func TestGuest(t *testing.T) {
	n := newNotes()
	m := Boot(t, Options{OnNotify: n.take})
	prepare(m)
	h := Call[wire.Hello](m, wire.MethodHello, wire.HelloParams{Version: wire.Version})
	t.Logf("marks %v errors %v", h.MarksMS, h.Errors)
	if len(h.Errors) != 0 {
		t.Errorf("boot errors: %v", h.Errors)
	}
	t.Run("prepared", func(t *testing.T) { prepared(t, m) })
	t.Run("user", func(t *testing.T) { user(t, m) })
	t.Run("attacks", func(t *testing.T) { attacks(t, m) })
	t.Run("limits", func(t *testing.T) { limits(t, m) })
	t.Run("stream", func(t *testing.T) { stream(t, m, n) })
	t.Run("cancel", func(t *testing.T) { cancelTree(t, m) })
	t.Run("sessions", func(t *testing.T) { sessions(t, m) })
	t.Run("orphans", func(t *testing.T) { orphans(t, m) })
	t.Run("errors", func(t *testing.T) { badCalls(t, m) })
	t.Run("an operation", func(t *testing.T) { operationBound(t, m, n) })
	Call[wire.Empty](m, wire.MethodShutdown, nil)
	m.AwaitExit()
}

func prepared(t *testing.T, m *Machine) {
	r := run(m, "p", "date +%s; hostname; cat /etc/hostname /etc/machine-id; date +%Z; cat /proc/1/comm; ls -d /work/out; mount | grep -c overlay; ip link show lo 2>/dev/null | grep -c UP; cat /sys/class/net/lo/flags")
	lines := strings.Split(strings.TrimSpace(string(r.Stdout)), "\n")
	t.Logf("%q %q", lines, r.Stderr)
	var now int64
	if _, err := fmt.Sscan(lines[0], &now); err != nil || now < time.Now().Unix()-60 || now > time.Now().Unix()+60 {
		t.Errorf("time %q", lines[0])
	}
	if len(lines) < 6 || lines[1] != "workroom" || lines[2] != "workroom" || len(lines[3]) != 32 || lines[5] != "init" {
		t.Errorf("%q", lines)
	}
}

func user(t *testing.T, m *Machine) {
	r := run(m, "u", "id -u; id -g; id -G; pwd; env | sort; grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:|Groups|SigBlk|SigIgn' /proc/self/status; ulimit -c")
	t.Logf("%s%s", r.Stdout, r.Stderr)
	out := string(r.Stdout)
	for _, want := range []string{"1000\n1000\n1000\n/work\n", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2", "HOME=/home/piwork", "TZ=Europe/Berlin", "LANG=C.UTF-8"} {
		if !strings.Contains(out, want) {
			t.Errorf("missing %q", want)
		}
	}
	r = run(m, "u2", "echo hi > /work/out/x && echo hi > /tmp/x && echo hi > ~/x && cat /work/out/x; echo a > >(cat) ; python3 -c 'print(1+1)'")
	if !strings.Contains(string(r.Stdout), "hi\n") || !strings.Contains(string(r.Stdout), "2\n") {
		t.Errorf("%s%s", r.Stdout, r.Stderr)
	}
}

// attacks are what a program must not be able to do to the guest around it.
// Each is a line of Python that succeeds when the attack does.
func attacks(t *testing.T, m *Machine) {
	lines := []string{
		"open('/dev/vda','rb').read(1)", "open('/dev/vdb','rb').read(1)", "open(glob.glob('/dev/vport*')[0],'rb').read(1)",
		"open('/dev/mem','rb').read(1)", "open('/dev/kmsg','rb').read(1)", "os.kill(1,9)", "os.kill(1,15)",
		"open('/proc/sys/kernel/sysrq','w').write('1')", "open('/proc/sysrq-trigger','w').write('b')",
		"os.chroot('/')", "os.setuid(0)", "os.setgid(0)", "os.setgroups([0])", "socket.sethostname('other')",
		"time.clock_settime(time.CLOCK_REALTIME, 1)", "os.mknod('/tmp/dev', 0o60666, os.makedev(254,0))",
		"check(libc.mount(b'x', b'/tmp', b'tmpfs', 0, None))", "check(libc.umount2(b'/work', 2))", "check(libc.reboot(0x4321fedc))",
		"open('/sys/fs/cgroup/piwork/memory.max','w').write('max')", "open('/sys/fs/cgroup/cgroup.procs','w').write(str(os.getpid()))",
		"open('/etc/passwd','a').write('x')", "open('/proc/1/environ').read()", "os.listdir('/proc/1/fd')", "os.listdir('/scratch')",
		"os.readlink('/proc/1/exe')", "open('/proc/1/mem','rb')", "os.setpriority(os.PRIO_PROCESS, 0, -5)",
		"check(libc.ptrace(16, 1, 0, 0))", "check(libc.init_module(b'x', 1, b''))", "check(libc.prctl(24, 0, 0, 0, 0) - 1)",
		"socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
		// Of the kernel: what the filter and the settings refuse.
		"check(libc.unshare(0x10000000))", "check(libc.unshare(0x20000))", "call(CLONE, 0x10000000 | 17, 0, 0, 0, 0)", "call(CLONE, 0x40000000 | 17, 0, 0, 0, 0)",
		"call(435, 0, 0)", "call(425, 8, b' ' * 120)", "call(426, 0, 0, 0, 0, 0)", "call(427, 0, 0, 0, 0)", "call(308, os.open('/proc/self/ns/net', 0), 0)",
		"call(430, b'tmpfs', 0)", "call(428, -100, b'/', 1)", "call(155, b'/', b'/')", "call(304, -100, 0, 0)", "call(300, 0, 0)",
		"call(248, b'user', b'a', b'b', 1, -4)", "call(250, 0, -4, 0)", "call(321, 0, b' ' * 120, 120)", "call(298, b' ' * 120, 0, -1, -1, 0)", "call(323, 1)",
		"call(101, 0, 0, 0, 0)", "call(310, os.getpid(), 0, 0, 0, 0, 0)", "call(438, 0, 0, 0)", "call(312, 1, 1, 0, 0, 0)", "call(246, 0, 0, 0, 0)", "call(135, 0x40000)",
		"call(0x40000000 + 39)", "call(463)", "fcntl.ioctl(0, 0x5412, b'x')",
		"socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)", "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15)",
		// Of the network, which is off: no datagram leaves, wherever to.
		"udp(socket.AF_INET).sendto(b'x', ('9.9.9.9', 53))", "udp(socket.AF_INET).sendto(b'x', ('255.255.255.255', 67))", "udp(socket.AF_INET).sendto(b'x', ('224.0.0.251', 5353))",
		"udp(socket.AF_INET6).sendto(b'x', ('2001:db8::1', 53))", "udp(socket.AF_INET6).sendto(b'x', ('ff02::fb', 5353))",
		// Of where the agent works.
		"os.rename('/scratch', '/work/scratch')", "os.mkdir('/scratch/run-1')", "os.symlink('/etc', '/scratch/kept')", "os.symlink('/etc', '/run/piwork/n/9')",
		"os.rename('/run/piwork/pi', '/run/piwork/other')", "os.rmdir('/work')", "os.rename('/work', '/w')",
	}
	lines = append(lines, onVictim...)
	r := Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: "attacks", Argv: []string{"python3", "-c", attacking(startVictim(m), lines)}})
	refused(t, lines, string(r.Stderr))
	Call[wire.Empty](m, wire.MethodCancel, wire.ExecRef{ID: "victim"})
	if r := run(m, "a-settings", "cat /proc/sys/user/max_user_namespaces /proc/sys/kernel/io_uring_disabled; tail -n +3 /proc/net/dev | cut -d: -f1"); string(r.Stdout) != "0\n2\n    lo\n" {
		t.Errorf("settings %q", r.Stdout)
	}
	// A set-user-id program gains nothing.
	r = run(m, "a-suid", "find / -xdev -perm /6000 -type f 2>/dev/null | head -3")
	if len(r.Stdout) != 0 {
		t.Logf("set-user-id programs (no_new_privs makes them harmless): %s", r.Stdout)
	}
}

// onVictim are attacks on another program of the same user. The limits come last: they
// would end it.
var onVictim = []string{
	"os.kill(victim, 0)", "os.kill(victim, 10)", "os.killpg(victim, 0)", "os.readlink(f'/proc/{victim}/fd/0')", "open(f'/proc/{victim}/fd/0', 'w')",
	"open(f'/proc/{victim}/environ').read()", "open(f'/proc/{victim}/mem', 'rb')", "os.readlink(f'/proc/{victim}/exe')", "open(f'/proc/{victim}/maps').read()",
	"check(libc.ptrace(16, victim, 0, 0))", "socket.socket(socket.AF_UNIX).connect('\\0victim')",
	"made(libc.shmget(77, 0, 0))", "made(libc.semget(77, 0, 0))", "made(libc.msgget(77, 0))", "made(libc.mq_open(b'/victim', os.O_RDWR))",
	"resource.prlimit(victim, resource.RLIMIT_CPU)", "resource.prlimit(victim, resource.RLIMIT_FSIZE, (1, 1))", "resource.prlimit(victim, resource.RLIMIT_CPU, (1, 1))",
}

// attacking is a Python program that tries lines, in which victim is a process, and
// says of each on stderr whether it works.
func attacking(victim string, lines []string) string {
	script := `import os,sys,glob,socket,time,ctypes,fcntl,resource
victim,CLONE=` + victim + `,56
libc=ctypes.CDLL(None,use_errno=True)
def check(r):
  if r != 0: raise OSError(ctypes.get_errno(),'refused')
def made(r):
  if r < 0: raise OSError(ctypes.get_errno(),'refused')
def call(n,*a): made(libc.syscall(n,*a))
def udp(f):
  s=socket.socket(f,socket.SOCK_DGRAM)
  if f==socket.AF_INET: s.setsockopt(socket.SOL_SOCKET,socket.SO_BROADCAST,1)
  return s
`
	for i, line := range lines {
		script += fmt.Sprintf("try:\n  %s\n  print(%d, 'WORKS', file=sys.stderr)\nexcept OSError as e:\n  print(%d, 'refused', e, file=sys.stderr)\n", line, i, i)
	}
	return script
}

// refused holds what an attacking program said to every line having failed.
func refused(t *testing.T, lines []string, said string) {
	t.Helper()
	answers := strings.Split(strings.TrimSpace(said), "\n")
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d attacks: %s", len(answers), len(lines), said)
	}
	for i, answer := range answers {
		if !strings.HasPrefix(answer, fmt.Sprintf("%d refused", i)) {
			t.Errorf("%s: %s", lines[i], answer)
		}
	}
}

// startVictim starts a program that others are to have no part in, and returns its id.
func startVictim(m *Machine) string {
	m.T.Helper()
	Call[wire.Empty](m, wire.MethodExecStart, wire.ExecParams{ID: "victim", Argv: []string{"python3", "-c", `import socket,time,ctypes,os
s=socket.socket(socket.AF_UNIX)
s.bind('\0victim')
s.listen()
libc=ctypes.CDLL(None)
made=[libc.shmget(77,4096,0o1600),libc.semget(77,1,0o1600),libc.msgget(77,0o1600),libc.mq_open(b'/victim',os.O_RDWR|os.O_CREAT,0o600,None)]
assert min(made) >= 0, made
open('/dev/shm/victim','w').write('x')
open('/var/tmp/victim','w').write('x')
open('/work/victim','w').write(open('/proc/self/stat').read().split()[0])
time.sleep(600)`}})
	r := run(m, "victim-id", "n=0; until [ -s /work/victim ] || [ $n = 200 ]; do sleep 0.1; n=$((n+1)); done; cat /work/victim; rm /work/victim")
	if len(r.Stdout) == 0 {
		m.T.Fatal("there is no victim")
	}
	return string(r.Stdout)
}

func limits(t *testing.T, m *Machine) {
	r := run(m, "l-mem", "python3 -c 'b=bytearray(200<<20); print(len(b))'; echo still here", func(p *wire.ExecParams) { p.Limits.MemoryMB = 64 })
	if r.ExitCode != 137 || r.Ended != wire.EndedOutOfMemory || strings.Contains(string(r.Stdout), "still") {
		t.Errorf("memory: %+v %s%s", r, r.Stdout, r.Stderr)
	}
	r = run(m, "l-wall", "sleep 60 & sleep 60", func(p *wire.ExecParams) { p.Limits.WallMS = 300 })
	if r.Ended != wire.EndedTimeout || r.WallMS > 20_000 {
		t.Errorf("wall: %+v", r)
	}
	r = run(m, "l-cpu", "for i in 1 2; do (while :; do :; done) & done; wait", func(p *wire.ExecParams) { p.Limits.CPUMS = 700 })
	if r.Ended != wire.EndedCPULimit || r.CPUMS < 600 {
		t.Errorf("cpu: %+v", r)
	}
	for id, script := range map[string]string{
		"l-io":       "dd if=/dev/zero of=/dev/null bs=1M; sleep 60",
		"l-io-ended": "n=0; while [ $n -lt 40 ]; do head -c 1000000 /dev/zero >/dev/null; n=$((n+1)); done; sleep 60",
	} {
		r = run(m, id, script, func(p *wire.ExecParams) { p.Limits.IOBytes = 30_000_000 })
		if r.Ended != wire.EndedIOLimit || r.WallMS > 50_000 {
			t.Errorf("%s: %+v", id, r)
		}
	}
	if r = run(m, "l-io-within", "head -c 1000000 /dev/zero >/dev/null", func(p *wire.ExecParams) { p.Limits.IOBytes = 30_000_000 }); r.Ended != "" || r.ExitCode != 0 {
		t.Errorf("within the limit: %+v", r)
	}
	r = run(m, "l-out", "yes", func(p *wire.ExecParams) { p.Limits.OutputBytes = 5000 })
	if r.Ended != wire.EndedOutputLimit || len(r.Stdout) != 5000 || !r.Truncated {
		t.Errorf("output: %q %d", r.Ended, len(r.Stdout))
	}
	r = run(m, "l-fork", "f() { f | f & }; f; sleep 3; echo over", func(p *wire.ExecParams) { p.Limits.WallMS = 4_000 })
	t.Logf("fork bomb: exit %d ended %q wall %d cpu %d", r.ExitCode, r.Ended, r.WallMS, r.CPUMS)
	if r = run(m, "l-after", "echo alive; cat /sys/fs/cgroup/piwork/pids.max"); string(r.Stdout) != "alive\n8192\n" {
		t.Errorf("after a fork bomb: %+v", r)
	}
}

// operationBound: what an operation reads is bounded, and its caller hears of its programs.
func operationBound(t *testing.T, m *Machine, n *notes) {
	shell(m, "truncate -s 8G /work/sparse; printf '%%PDF-1.4\n1 0 obj\n<</Type/Catalog>>\nendobj\ntrailer\n<</Root 1 0 R>>\n' > /work/a.pdf; mkdir -p /work/out")
	r := Tool(m, wire.ToolParams{ID: "io", Op: "file.hash", In: []string{"/work/sparse"}, Limits: wire.Limits{IOBytes: 30 << 20}})
	if len(r.Problems) != 1 || r.Problems[0].Code != tools.IOLimit || r.WallMS > 100_000 {
		t.Errorf("%+v", r)
	}
	if said := n.text("io/log"); !strings.Contains(said, "warn ended, io-limit wall ") {
		t.Errorf("its caller heard %q", said)
	}
	r = Tool(m, wire.ToolParams{ID: "words", Op: "pdf.merge", In: []string{"/work/a.pdf", "/work/a.pdf"}, Out: "/work/out/words.pdf"})
	t.Logf("%+v: %q", r, n.text("words/log"))
	if said := n.text("words/stderr"); !strings.Contains(said, "file is damaged") {
		t.Errorf("its caller heard %q", said)
	}
	shell(m, "rm /work/sparse /work/a.pdf")
}

func stream(t *testing.T, m *Machine, n *notes) {
	Call[wire.Empty](m, wire.MethodExecStart, wire.ExecParams{ID: "s1", Argv: []string{"sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; echo end >&2; cat"}, KeepIn: true, Request: "asked-3"})
	<-n.first
	Call[wire.Empty](m, wire.MethodExecWrite, wire.ExecWrite{ID: "s1", Data: []byte("input"), Close: true})
	r := Call[wire.ExecResult](m, wire.MethodExecWait, wire.ExecRef{ID: "s1"})
	if r.ExitCode != 0 || len(n.text("s1/stdout")) != 3000005 || n.text("s1/stderr") != "end\n" {
		t.Errorf("%+v, %d bytes", r, len(n.text("s1/stdout")))
	}
	n.await(t, "tool exec run s1 request asked-3: ended, exit 0 ")
	t.Logf("3 MB in %d ms", r.WallMS)
}

func cancelTree(t *testing.T, m *Machine) {
	Call[wire.Empty](m, wire.MethodExecStart, wire.ExecParams{ID: "c1", Argv: []string{"bash", "-c", "trap '' TERM; setsid sleep 1234 & sleep 1234"}})
	Call[wire.Empty](m, wire.MethodCancel, wire.ExecRef{ID: "c1"})
	r := Call[wire.ExecResult](m, wire.MethodExecWait, wire.ExecRef{ID: "c1"})
	if r.Ended != wire.EndedCancelled || r.ExitCode == 0 {
		t.Errorf("%+v", r)
	}
	if left := run(m, "c2", "cat /proc/[0-9]*/comm | grep -c '^sleep$'"); strings.TrimSpace(string(left.Stdout)) != "0" {
		t.Errorf("%s processes are left", left.Stdout)
	}
}

func sessions(t *testing.T, m *Machine) {
	Call[wire.Session](m, wire.MethodSessionCreate, wire.Session{ID: "se", Cwd: "/tmp", Env: map[string]string{"A": "b"}})
	in := func(p *wire.ExecParams) { p.Session = "se" }
	r := run(m, "se1", "pwd; echo $A; sleep 4321 & echo $!", in)
	lines := strings.Fields(string(r.Stdout))
	if len(lines) != 3 || lines[0] != "/tmp" || lines[1] != "b" {
		t.Fatalf("%q", r.Stdout)
	}
	if r = run(m, "se2", "kill -0 "+lines[2], in); r.ExitCode != 0 {
		t.Errorf("a background process did not outlive its command in a session: %s", r.Stderr)
	}
	Call[wire.Empty](m, wire.MethodSessionClose, wire.SessionRef{ID: "se"})
	if r = run(m, "se3", "[ -e /proc/"+lines[2]+" ]"); r.ExitCode == 0 {
		t.Error("a process outlives its session")
	}
	if l := Call[wire.SessionList](m, wire.MethodSessionList, nil); len(l.Sessions) != 0 {
		t.Errorf("%+v", l)
	}
	if r = run(m, "se4", "ls /sys/fs/cgroup/piwork | grep -E '^[xs][0-9]' | wc -l"); strings.TrimSpace(string(r.Stdout)) != "1" { // its own
		t.Errorf("cgroups are left: %s", r.Stdout)
	}
}

// orphans are reaped, and no exit code is ever stolen by that.
func orphans(t *testing.T, m *Machine) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			r, err := Try[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: fmt.Sprintf("o%d", i), Argv: []string{"sh", "-c", fmt.Sprintf("for i in 1 2 3 4 5; do (sleep 0.01 &) ; done; exit %d", i)}})
			if err != nil || r.ExitCode != i {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	group.Wait()
	r := run(m, "o-left", "sleep 1; cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z'")
	if strings.TrimSpace(string(r.Stdout)) != "0" {
		t.Errorf("zombies: %s", r.Stdout)
	}
}

func badCalls(t *testing.T, m *Machine) {
	for _, c := range []struct {
		method string
		params any
		code   jrpc2.Code
	}{
		{wire.MethodExecRun, wire.ExecParams{ID: "b1", Argv: []string{"no-such-program"}}, wire.CodeStart},
		{wire.MethodExecRun, wire.ExecParams{ID: "b1", Argv: []string{"true"}, Cwd: "/no/such"}, wire.CodeStart},
		{wire.MethodExecRun, wire.ExecParams{ID: "../x", Argv: []string{"true"}}, wire.CodeInvalid},
		{wire.MethodExecRun, wire.ExecParams{ID: "b1"}, wire.CodeInvalid},
		{wire.MethodExecWait, wire.ExecRef{ID: "nobody"}, wire.CodeNotFound},
		{wire.MethodCancel, wire.ExecRef{ID: "nobody"}, wire.CodeNotFound},
		{wire.MethodToolRun, wire.ToolParams{ID: "b2", Op: "no.such", In: []string{"/x"}}, wire.CodeUnknownOp},
		{wire.MethodToolRun, wire.ToolParams{ID: "b2", Op: "image.info"}, wire.CodeInvalid},
		{wire.MethodMount, wire.MountParams{Kind: wire.KindVirtio9P, Export: "folders", Path: "/etc"}, wire.CodeInvalid},
		{wire.MethodMount, wire.MountParams{Kind: wire.KindVirtio9P, Export: "folders", Path: "/folders"}, wire.CodeMount},
		{wire.MethodUnmount, wire.MountParams{Kind: wire.KindVirtio9P, Export: "folders", Path: "/folders"}, wire.CodeNotFound},
		{wire.MethodExecRun, json.RawMessage(`[1,2]`), jrpc2.InvalidParams},
	} {
		_, err := Try[wire.Empty](m, c.method, c.params)
		wantCode(t, err, c.code)
	}
}
