package qemu

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/digitalocean/go-qemu/qmp"
)

const (
	// startTime is how long QEMU may take until its sockets are connected and
	// its monitor answers. It only loads its libraries then; a slow disk needs
	// seconds.
	startTime = 30 * time.Second

	// quitTime is how long QEMU may take to follow "quit".
	quitTime = 3 * time.Second

	// killTime is how long the system may take to end a process after SIGKILL.
	killTime = 10 * time.Second

	outputTail = 8 << 10 // bytes of QEMU's messages kept as evidence
)

// Names of the logs in StartOptions.LogDir.
const (
	QEMULog    = "qemu.log"    // QEMU's own messages and how it was started
	ConsoleLog = "console.log" // what the guest printed
)

// StartOptions say what Start starts.
type StartOptions struct {
	Spec   Spec
	LogDir string // of QEMULog, ConsoleLog and RunningFile, "" for none; of this machine alone

	// RAM is the machine's memory where Spec.RAM is Handed (NewSharedRAM). It
	// stays the caller's, who can close it when Start has returned.
	RAM *os.File

	// OnEvent hears QMP's events, in order; it must not block. May be nil. A
	// machine that was stopped before this computer's disk is full is an event
	// too, the one that QEMU has for a disk that is (BLOCK_IO_ERROR, "nospace").
	OnEvent func(qmp.Event)

	freeSpace func(context.Context, string) (uint64, error) // of tests, nil is the system's
}

// Process is a running QEMU. It must be stopped, also when it has ended by
// itself. Its methods may be called from several goroutines at once.
type Process struct {
	spec    Spec
	argv    []string
	console *Console
	monitor *Monitor
	version qmp.Version
	ports   map[string]net.Conn
	conns   map[string]net.Conn // by socket, the console's included
	stderr  tail
	log     *logFile // nil without one
	space   *spaceGuard
	plugs   plugs

	logDir  string // with a RunningFile, "" for none
	cmd     *exec.Cmd
	started time.Time
	exited  chan struct{} // closed when the process is reaped; then status is set
	status  *os.ProcessState
	done    chan struct{} // closed after exited, when the console and QMP are read to their ends

	mu       sync.Mutex
	shutdown string // of the SHUTDOWN event
}

var (
	errEnded     = errors.New("QEMU ended while it was started")
	errSlowStart = fmt.Errorf("QEMU did not come up in %v", startTime)
)

// Start runs QEMU and returns when it has connected every socket of the Spec
// and its monitor answers. When ctx ends first, QEMU is ended. Later, ctx means
// nothing to the process.
func Start(ctx context.Context, o StartOptions) (*Process, error) {
	p := &Process{
		spec:   o.Spec,
		logDir: o.LogDir,
		argv:   CommandLine(o.Spec),
		ports:  make(map[string]net.Conn),
		conns:  make(map[string]net.Conn),
		plugs:  plugs{all: make(map[string]plugged)},
		stderr: tail{max: outputTail},
		exited: make(chan struct{}),
		done:   make(chan struct{}),
	}
	undo, err := o.Spec.prepareRAM(o.RAM)
	if err == nil {
		if err = p.start(ctx, o); err != nil {
			err = errors.Join(err, undo())
		}
	}
	if err != nil {
		return nil, &StartError{CommandLine: p.argv, Output: p.stderr.String(), Err: err}
	}
	return p, nil
}

func (p *Process) start(ctx context.Context, o StartOptions) error {
	if len(o.Spec.Image.Program) == 0 {
		return errors.New("the image names no program")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, errSlowStart)
	defer cancel()

	var consoleLog *logFile
	if o.LogDir != "" {
		var err error
		if p.log, err = openLog(filepath.Join(o.LogDir, QEMULog), LogLimit); err != nil {
			return fmt.Errorf("open QEMU's log: %w", err)
		}
		if consoleLog, err = openLog(filepath.Join(o.LogDir, ConsoleLog), LogLimit); err != nil {
			_ = p.log.Close()
			return fmt.Errorf("open the console's log: %w", err)
		}
		fmt.Fprintf(p.log, "%s start %q\n", time.Now().UTC().Format(time.RFC3339), p.argv)
	}
	ends, err := listen(ctx, o.Spec)
	if err == nil {
		defer ends.close()
		err = p.launch(o)
	}
	if err != nil {
		closeLogs(p.log, consoleLog)
		return err
	}

	if err := p.connect(ctx, o.Spec, ends); err != nil {
		err = p.abort(err)
		closeLogs(p.log, consoleLog)
		return err
	}
	p.console = newConsole()
	if p.space != nil {
		go p.space.run()
	}
	go p.follow(p.conns[o.Spec.Console], consoleLog)
	return nil
}

// launch starts the process. Its owner is a goroutine on a thread of its own:
// the parent-death signal of Linux is sent when the thread ends that started
// the process, so the thread has to live as long.
func (p *Process) launch(o StartOptions) error {
	// Not exec's own pipes: Wait closes those with what is still in them.
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return errors.Join(err, inR.Close(), inW.Close())
	}
	p.cmd = exec.CommandContext(context.Background(), p.argv[0], p.argv[1:]...)
	p.cmd.Env = append([]string{}, o.Spec.Image.Env...) // nil would be this program's
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, p
	p.cmd.WaitDelay = killTime
	if r := o.Spec.RAM; r != nil && r.Handed {
		p.cmd.ExtraFiles = []*os.File{o.RAM} // handedRAM
	}

	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		l, err := newLeash(p.cmd)
		if err == nil {
			p.started = time.Now()
			if err = p.cmd.Start(); err != nil {
				l.release()
			} else if err = l.attach(p.cmd.Process.Pid); err != nil {
				_ = p.cmd.Process.Kill()
				_ = p.cmd.Wait()
				l.release()
				err = fmt.Errorf("tie QEMU to this program: %w", err)
			}
		}
		_ = inR.Close()
		_ = outW.Close()
		if err == nil && p.logDir != "" {
			// Without it, a machine that outlives this program is not found.
			_ = writeRunning(p.logDir, running{p.cmd.Process.Pid, p.argv, runDirOf(o.Spec)})
		}
		result <- err
		if err != nil {
			return
		}
		_ = p.cmd.Wait() // how it ended is in ProcessState
		l.release()
		if p.logDir != "" {
			_ = os.Remove(filepath.Join(p.logDir, RunningFile))
		}
		p.status = p.cmd.ProcessState
		close(p.exited)
	}()
	if err := <-result; err != nil {
		return errors.Join(err, inW.Close(), outR.Close())
	}
	p.space = newSpaceGuard(p, o)
	p.monitor = NewMonitor(&duplex{r: outR, w: inW}, func(e qmp.Event) {
		p.space.hear(e)
		if reason, ok := e.Data["reason"].(string); ok && e.Event == eventShutdown {
			p.mu.Lock()
			p.shutdown = reason[:min(len(reason), 64)]
			p.mu.Unlock()
		}
		if o.OnEvent != nil {
			o.OnEvent(e)
		}
	})
	return nil
}

// connect waits until QEMU has connected every socket and answers.
func (p *Process) connect(ctx context.Context, s Spec, ends endpoints) error {
	if err := p.accept(ctx, ends, p.conns); err != nil {
		return err
	}
	for _, port := range s.Ports {
		p.ports[port.Name] = p.conns[port.Socket]
	}
	if s.Folders != "" {
		p.conns[s.Folders] = KeepAwake(p.conns[s.Folders])
	}
	// When QEMU ends now, its output does: what it still said is heard first.
	var err error
	p.version, err = p.monitor.Handshake(ctx)
	return err
}

// accept waits for QEMU's connections as long as it runs.
func (p *Process) accept(ctx context.Context, ends endpoints, conns map[string]net.Conn) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	connected := make(chan struct{})
	defer close(connected)
	go func() {
		select {
		case <-p.exited:
			cancel(errEnded)
		case <-connected:
		}
	}()
	return ends.accept(ctx, conns)
}

// abort ends a process that did not come up and returns why: how it ended, when
// it did so by itself, else err.
func (p *Process) abort(err error) error {
	if errors.Is(err, ErrMonitorClosed) { // its output ends a little before it does
		select {
		case <-p.exited:
		case <-time.After(quitTime):
		}
	}
	select {
	case <-p.exited:
		p.hearLast()
		err = p.exitError()
	default:
		if killErr := p.kill(); killErr != nil {
			err = errors.Join(err, killErr)
		}
	}
	p.disconnect()
	return err
}

// Write takes QEMU's messages.
func (p *Process) Write(b []byte) (int, error) {
	if p.log != nil {
		_, _ = p.log.Write(b)
	}
	return p.stderr.Write(b)
}

// Stop ends QEMU: it asks by QMP, and kills when that does not help within a
// few seconds or when ctx ends. It returns when the process is gone; an error
// says that it is not. Afterwards all of the ports are closed.
func (p *Process) Stop(ctx context.Context) error {
	soft, cancel := context.WithTimeout(ctx, quitTime)
	defer cancel()
	select {
	case <-p.exited:
	default:
		// An answer means nothing yet; no answer does not either.
		if err := p.monitor.Do(soft, qmp.Command{Execute: commandQuit}, nil); err == nil || errors.Is(err, ErrMonitorClosed) {
			select {
			case <-p.exited:
			case <-soft.Done():
			}
		}
	}
	err := p.kill()
	if err == nil {
		<-p.done
	}
	p.disconnect()
	return err
}

// kill ends the process by force, unless it has ended, and waits for that.
func (p *Process) kill() error {
	select {
	case <-p.exited:
		return nil
	default:
	}
	err := p.cmd.Process.Kill()
	t := time.NewTimer(killTime)
	defer t.Stop()
	select {
	case <-p.exited:
		return nil
	case <-t.C:
		return errors.Join(fmt.Errorf("QEMU, process %d, is still there %v after it was killed", p.cmd.Process.Pid, killTime), err)
	}
}

func (p *Process) disconnect() {
	_ = p.monitor.Disconnect()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.plugs.close()
}

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Started is when the process was started.
func (p *Process) Started() time.Time { return p.started }

// CommandLine returns how the process was started, to repeat it by hand.
func (p *Process) CommandLine() []string { return append([]string(nil), p.argv...) }

// Version is that of QEMU.
func (p *Process) Version() string { return p.version.String() }

// Output returns the end of QEMU's own messages.
func (p *Process) Output() string { return p.stderr.String() }

// Console follows what the guest prints; without one in the Spec it hears
// nothing.
func (p *Process) Console() *Console { return p.console }

// Monitor is the QMP conversation, past its handshake.
func (p *Process) Monitor() *Monitor { return p.monitor }

// Port returns the connection of a port of the Spec. The Process closes it in
// Stop; data of a process that has ended can be read until then.
func (p *Process) Port(name string) net.Conn { return p.ports[name] }

// Done is closed when the process has ended and all that it said is read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit returns how the process ended, nil while it runs; it knows all of it
// after Done.
func (p *Process) Exit() *ExitError {
	select {
	case <-p.exited:
		return p.exitError()
	default:
		return nil
	}
}

// exitError is called after exited.
func (p *Process) exitError() *ExitError {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &ExitError{Code: -1, Status: "unknown", Reason: p.shutdown, Output: p.stderr.String()}
	if p.status != nil {
		e.Code, e.Status = p.status.ExitCode(), p.status.String()
	}
	return e
}

func closeLogs(logs ...*logFile) {
	for _, l := range logs {
		if l != nil {
			_ = l.Close()
		}
	}
}

// duplex is the monitor's transport.
type duplex struct{ r, w *os.File }

func (d *duplex) Read(p []byte) (int, error)  { return d.r.Read(p) }
func (d *duplex) Write(p []byte) (int, error) { return d.w.Write(p) }
func (d *duplex) Close() error                { return errors.Join(d.w.Close(), d.r.Close()) }
