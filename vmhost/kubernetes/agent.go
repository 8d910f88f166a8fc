package kubernetes

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// agent is the program that is sent into the Pod.
type agent struct {
	packed []byte // with gzip
	digest string // SHA-256
	arch   string // as Kubernetes names it
}

func readAgent(name string) (*agent, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	arch, ok := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine]
	if !ok {
		return nil, fmt.Errorf("%s is of another kind: %v", name, f.Machine)
	}
	sum := sha256.Sum256(b)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err == nil {
		_, err = z.Write(b)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return nil, err
	}
	return &agent{packed.Bytes(), hex.EncodeToString(sum[:]), arch}, nil
}

// sendTime is how long the agent may take to get there.
const sendTime = 5 * time.Minute

// send has the agent in the Pod, and makes sure that it is whole.
func (a *agent) send(ctx context.Context, m *client, pod string) error {
	out, err := m.run(ctx, pod, sendTime, a.packed, "/bin/sh", "-c", receive(len(a.packed), a.digest))
	var e *endedError
	switch {
	case err == nil && strings.TrimSpace(out) == "sent":
		return nil
	case err == nil:
		err = fmt.Errorf("the agent did not arrive whole: %.200q", out)
	case !errors.As(err, &e):
		return err
	}
	return failed(vmhost.ReasonClusterUnfit, fmt.Errorf("send the agent: the image needs sh, head, gzip, sha256sum, mkfifo, cat and sleep: %w", err))
}

// runTries is how often a program is run whose connection does not come about, or breaks.
const runTries = 3

// run runs a program in the Pod to its end, and returns the end of what it said. It may run more
// than once.
func (m *client) run(ctx context.Context, pod string, patience time.Duration, in []byte, argv ...string) (out string, err error) {
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for range runTries {
		if out, err = m.runOnce(ctx, bounded, pod, in, argv...); !isAway(err) {
			break
		}
		select {
		case <-time.After(lastPause):
		case <-bounded.Done():
		}
	}
	return out, err
}

func (m *client) runOnce(ctx, bounded context.Context, pod string, in []byte, argv ...string) (string, error) {
	s, err := m.start(bounded, pod, argv...)
	if err != nil {
		return "", err
	}
	defer s.close()
	var out, said hosted.Tail
	err = s.carry(bounded, bytes.NewReader(in), &out, &said)
	var e *endedError
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &e):
		return "", fmt.Errorf("%w: %.1000s", err, said.String())
	case err != nil:
		return "", failed(vmhost.ReasonClusterLost, err)
	}
	return out.String(), nil
}
