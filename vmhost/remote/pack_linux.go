package remote

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/ssh"

	"piwork/vmhost"
	"piwork/vmhost/sandbox/tree"
	"piwork/vmhost/wire/resume"
)

// How long the programs of a pack may take.
const (
	packQuiet  = time.Minute      // for anything of them to arrive
	unpackTime = 10 * time.Minute // for them to be compared and unpacked there
	busyTime   = 30 * time.Minute // for somebody else to send them
	sendAll    = 12 * time.Hour   // for all of them, over all connections
	minGain    = 1 << 20          // bytes by which a connection gets further than one before
	answerTime = 5 * time.Second  // for why the other side ended
	tellParts  = 200              // into which the whole is divided, to tell how much is there
)

// ensurePack sends the programs of the pack, unless they are there. A connection that breaks
// comes again, as long as one gets further than those before within Patience.
func (p *place) ensurePack(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, sendAll, failed(vmhost.ReasonRemoteLost, fmt.Errorf("the programs are not there after %v", sendAll)))
	defer cancel()
	began, since, pause, best, damaged := time.Now(), time.Now(), firstPause, int64(-1), false
	for {
		have, err := p.sendPack(ctx)
		var f *vmhost.FailedError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errDamaged) && !damaged: // of a connection before, say
			damaged, best, since = true, -1, time.Now()
		case errors.Is(err, errDamaged):
			return unfit(err)
		case errors.Is(err, errBusy) && time.Since(began) < busyTime, have >= 0 && best < 0, have >= best+minGain:
			since, pause, best = time.Now(), firstPause, max(have, best)
		case errors.As(err, &f) && f.Reason != vmhost.ReasonRemoteUnreachable:
			return f
		}
		if time.Since(since) > p.cfg.Patience {
			return failed(vmhost.ReasonRemoteLost, err)
		}
		p.cfg.Log.Info("the programs are not all on another computer yet", "computer", p.cfg.Name, "bytes", have, "error", err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		pause = min(2*pause, lastPause)
	}
}

// sendPack sends what is missing of the programs, over one connection, and returns how much
// was there before.
func (p *place) sendPack(ctx context.Context) (have int64, err error) {
	have = -1
	client, n, err := p.connected(ctx)
	if err != nil {
		return have, err
	}
	c, a, err := p.agent.request(ctx, client, resume.Request{Action: resume.ActionSend, Pack: p.cfg.Digest})
	if err != nil {
		if f := (*vmhost.FailedError)(nil); errors.As(err, &f) && f.Reason == vmhost.ReasonRemoteUnreachable {
			p.lost(n) // another connection may do
		}
		return have, err
	}
	defer c.Close()
	if a.Ready {
		return have, nil
	}
	total, err := treeBytes(p.cfg.Root)
	if err != nil {
		return have, err
	}
	if a.Have < 0 || a.Have > 2*total { // total is about right
		return have, failed(vmhost.ReasonProtocol, fmt.Errorf("it has %d bytes of programs that are %d", a.Have, total))
	}
	have = a.Have
	defer context.AfterFunc(ctx, func() { client.Close() })()
	err = p.stream(ctx, client, c, have, total)
	within := unpackTime
	if err != nil {
		within = answerTime
	}
	late := time.AfterFunc(within, func() { client.Close() })
	defer late.Stop()
	var end resume.Answer
	if rerr := resume.ReadLine(c, &end); rerr == nil {
		switch {
		case end.Error != "":
			return have, answered(end)
		case !end.Ready:
			return have, failed(vmhost.ReasonProtocol, errors.New("the programs are not there after they were sent"))
		}
		return have, err
	} else if errors.Is(rerr, resume.ErrProtocol) {
		return have, failed(vmhost.ReasonProtocol, rerr)
	} else if err == nil {
		err = rerr
	}
	p.lost(n)
	return have, failed(vmhost.ReasonRemoteUnreachable, err)
}

// stream sends the programs from a byte on, and the sum of all of them.
func (p *place) stream(ctx context.Context, client *ssh.Client, c *channel, from, total int64) error {
	quiet := time.AfterFunc(packQuiet, func() { client.Close() })
	defer quiet.Stop()
	w := &packWriter{ctx: ctx, sum: sha256.New(), from: from, total: total, told: p.cfg.OnSend}
	err := zipped(writerFunc(func(b []byte) (int, error) {
		quiet.Reset(packQuiet)
		return c.Write(b)
	}), func(z io.Writer) error {
		w.to = z
		return writeTree(w, p.cfg.Root)
	})
	if err != nil {
		return err
	}
	return resume.WriteLine(c, resume.Request{Action: resume.ActionSent, SHA256: hex.EncodeToString(w.sum.Sum(nil))})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// packWriter sums up all that is written, and passes on what comes after from.
type packWriter struct {
	ctx      context.Context
	sum      hash.Hash
	at, from int64
	to       io.Writer
	total    int64
	told     func(done, total int64)
	last     int64 // that was told
}

func (w *packWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, context.Cause(w.ctx)
	}
	w.sum.Write(b)
	skip := min(max(w.from-w.at, 0), int64(len(b)))
	w.at += int64(len(b))
	if skip < int64(len(b)) {
		if _, err := w.to.Write(b[skip:]); err != nil {
			return 0, err
		}
		if w.told != nil && w.at-w.last > w.total/tellParts {
			w.last = w.at
			w.told(min(w.at, w.total), w.total)
		}
	}
	return len(b), nil
}

// treeBytes is about how many bytes the tar of a tree has.
func treeBytes(root string) (total int64, err error) {
	const block = 512
	err = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		total += block
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			total += (info.Size() + block - 1) / block * block
		}
		return err
	})
	return total, err
}

// writeTree writes a tree as a tar: the same bytes for the same tree, so that a connection
// can go on where another one broke.
func writeTree(to io.Writer, root string) error {
	info, err := os.Stat(root)
	if err != nil {
		return err
	}
	t := tar.NewWriter(to)
	err = t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "./", Mode: int64(info.Mode().Perm()), ModTime: info.ModTime().Truncate(time.Second)})
	if err == nil {
		err = tree.Archive(t, root, func(string) bool { return false })
	}
	return errors.Join(err, t.Close())
}
