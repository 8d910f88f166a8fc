package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire/resume"
)

// Parts of the program, as its first argument.
const (
	Part      = "remote"
	PartHold  = "remote-hold"
	PartPlace = "remote-place"
)

// self is this program.
const self = "/proc/self/exe"

// How long a holder has to make a place, and one place to end.
const (
	startTime = 30 * time.Second
	endTime   = 20 * time.Second
)

// Main does one request on the standard input and output. It is the whole of a process.
func Main() int {
	var r resume.Request
	if err := resume.ReadLine(os.Stdin, &r); err != nil {
		return 2
	}
	var err error
	switch r.Action {
	case resume.ActionStart:
		err = start(r)
	case resume.ActionAttach, resume.ActionEnd:
		err = attach(r)
	case resume.ActionSend:
		// Only what does not block has deadlines.
		if err = unix.SetNonblock(0, true); err == nil {
			err = receivePack(r.Pack, os.NewFile(0, "standard input"), os.Stdout)
		}
	default:
		err = fmt.Errorf("%q is no action", r.Action)
	}
	if err != nil {
		_ = resume.WriteLine(os.Stdout, answerFor(err))
		return 1
	}
	return 0
}

// start starts a holder, and answers when its place is there.
func start(r resume.Request) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	// Not with ctx: it stays.
	cmd := exec.Command(self, PartHold) //nolint:forbidigo,noctx // it outlives this process; its patience ends it
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	var a resume.Answer
	err = errors.Join(resume.WriteLine(in, r), in.Close())
	if err == nil {
		err = resume.ReadLine(out, &a)
	}
	if err != nil {
		_ = cmd.Process.Kill()
		return fmt.Errorf("make a place: %w", err)
	}
	if a.Error == "" {
		if a.SHA256, err = digest(); err != nil {
			return err
		}
	}
	return resume.WriteLine(os.Stdout, a)
}

// digest is that of this program.
func digest() (string, error) {
	f, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// awaitEnd waits for the holder, which lets go of a connection when nothing is left: also of one
// that it has not accepted.
func awaitEnd(conn net.Conn, patience time.Duration) error {
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, unix.ECONNRESET) {
		return fmt.Errorf("the place is still there: %w", err)
	}
	return nil
}

// attach connects the standard input and output to a holder. Of a place that is to end it
// waits until nothing is left.
func attach(r resume.Request) error {
	if err := enter(r.ID); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socketName)
	if err != nil {
		return &codeError{resume.CodeGone, err}
	}
	defer conn.Close()
	if err := resume.WriteLine(conn, r); err != nil {
		return &codeError{resume.CodeGone, err}
	}
	if r.Action == resume.ActionEnd {
		if err := awaitEnd(conn, endTime); err != nil {
			return err
		}
		return resume.WriteLine(os.Stdout, resume.Answer{ID: r.ID})
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		conn.Close()
	}()
	_, err = io.Copy(os.Stdout, conn) // its answer is the first line
	return err
}
