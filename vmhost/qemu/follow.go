package qemu

import (
	"fmt"
	"net"
	"time"
)

const (
	// A guest may print consoleBurst bytes at once and consoleRate bytes a
	// second all the time, a hundred boots' worth. One that prints more waits:
	// its log is bounded in size, and so is what is written to the disk for it.
	consoleBurst = 4 << 20
	consoleRate  = 4 << 20
)

// follow reads the console to its end and then waits for the process's.
func (p *Process) follow(console net.Conn, log *logFile) {
	if console != nil {
		read := make(chan struct{})
		go func() {
			select {
			case <-p.exited: // the end follows at once; this is for when it does not
				_ = console.SetReadDeadline(time.Now().Add(time.Second))
			case <-read:
			}
		}()
		buf := make([]byte, 32<<10)
		for last, tokens := time.Now(), float64(consoleBurst); ; {
			n, err := console.Read(buf)
			if log != nil {
				_, _ = log.Write(buf[:n])
			}
			_, _ = p.console.Write(buf[:n])
			if err != nil {
				break
			}
			now := time.Now()
			tokens = min(consoleBurst, tokens+now.Sub(last).Seconds()*consoleRate) - float64(n)
			last = now
			if tokens < 0 {
				p.pause(time.Duration(-tokens / consoleRate * float64(time.Second)))
			}
		}
		close(read)
	}
	<-p.exited
	p.hearLast()
	if p.log != nil {
		fmt.Fprintf(p.log, "%s end: %v\n", time.Now().UTC().Format(time.RFC3339), p.exitError())
	}
	closeLogs(p.log, log)
	close(p.done)
}

// hearLast waits until QMP is read to its end, which comes with that of the
// process: its last event says why that ended.
func (p *Process) hearLast() {
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-p.monitor.Done():
	case <-t.C:
	}
}

// pause waits while the process runs.
func (p *Process) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-p.exited:
	}
}
