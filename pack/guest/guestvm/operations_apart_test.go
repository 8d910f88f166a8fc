//go:build vm && linux

package guestvm

import (
	"testing"

	"piwork/vmhost/wire"
)

// TestOperationsProgramIsApart has a file take over a program that an operation runs:
// commands beside it, their files, and those of the person are out of its reach.
func TestOperationsProgramIsApart(t *testing.T) {
	const program = "usr/local/bin/pdfinfo" // before that of the pack
	lines := append([]string{
		"open('/work/a.pdf').read()", "open('/work/made', 'w')", "os.listdir('/work')", "os.listdir('/folders')", "os.listdir('/home/piwork')",
		"open('/tmp/made', 'w')", "os.listdir('/tmp')", "os.listdir('/scratch')", "os.listdir('/dev/shm')", "open('/dev/shm/made', 'w')",
		"open('/dev/shm/victim').read()", "open('/dev/shm/victim', 'r+')", "open('/var/tmp/victim').read()", "open('/var/tmp/victim', 'r+')",
		"os.remove('/var/tmp/victim')", "open('/dev/tty')", "open('/dev/ptmx')", "socket.socket().connect(('127.0.0.1', 1))", "socket.socket().bind(('127.0.0.1', 0))",
		"os.setuid(1000)", "os.setresuid(-1, 1000, -1)", "os.setuid(0)", "os.setgid(1000)", "os.chown('.', 1000, -1)",
		"os.setpriority(os.PRIO_PROCESS, victim, 5)", "os.sched_setaffinity(victim, {0})", "os.kill(os.getppid(), 0)",
		"open(f'/proc/{os.getppid()}/mem', 'rb')",
	}, onVictim...)
	const victim = "next(int(p) for p in os.listdir('/proc') if p.isdigit() and b'victim' in open(f'/proc/{p}/cmdline', 'rb').read())"
	n := newNotes()
	m := bootOperations(t, Options{
		OnNotify: n.take, Disks: []Disk{{"hostile", writeImage(t, map[string]string{program: "#!/usr/bin/python3\n" + attacking(victim, lines)})}},
	}, wire.Layer{Name: "hostile", Disk: "hostile"})
	startVictim(m)
	put(m, "/work/a.pdf", []byte("%PDF-1.4\n"))
	tool(m, wire.ToolParams{ID: "hostile", Op: "pdf.info", In: []string{"/work/a.pdf"}})
	refused(t, lines, n.text("hostile/"+wire.Stderr))
	if r := run(m, "still", "cat /dev/shm/victim /var/tmp/victim; ls -A /tmp /work"); string(r.Stdout) != "xx/tmp:\n\n/work:\na.pdf\nout\n" {
		t.Errorf("afterwards: %s%s", r.Stdout, r.Stderr)
	}
}
