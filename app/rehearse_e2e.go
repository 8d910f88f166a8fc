//go:build e2e

package app

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"piwork/app/setup"
	"piwork/app/setup/elevate"
	"piwork/vmhost/qemu"
)

// invented is a computer that somebody else has, as PIWORK_E2E_COMPUTER names a
// file of it.
type invented struct {
	OS     string      `json:"os"` // as runtime.GOOS, on amd64
	Facts  setup.Facts `json:"facts"`
	Device string      `json:"device"` // the error of the device, in words
	Output string      `json:"output"` // of QEMU in the proof boot that fails
	Boots  bool        `json:"boots"`  // the proof boot succeeds
}

// rehearsed has setup look at an invented computer in builds with the tag e2e. The
// file is read at every look, so that a test can mend what is wrong; only its
// system stays. Nothing is booted, and no administrator is asked.
func rehearsed(o setup.Options) setup.Options {
	file := os.Getenv("PIWORK_E2E_COMPUTER")
	if file == "" {
		return o
	}
	now := func() invented {
		var c invented
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		if err != nil {
			panic(err) // the test is wrong
		}
		return c
	}
	o.OS, o.Arch = now().OS, "amd64"
	o.System = elevate.System{} // no administrator is asked for somebody else's computer
	o.Look = func() setup.Facts {
		c := now()
		if c.Device != "" {
			c.Facts.DeviceErr = errors.New(c.Device)
		}
		return c.Facts
	}
	o.Prove = func(_ context.Context, _ qemu.Image, accel qemu.Accel, _ bool) (qemu.Proof, error) {
		c := now()
		if accel == qemu.AccelTCG || c.Boots {
			return qemu.Proof{Accel: accel, Ready: 2 * time.Second, Time: time.Now().UTC()}, nil
		}
		stage := qemu.StageFirstByte
		if c.Output != "" {
			stage = qemu.StageStart
		}
		return qemu.Proof{}, &qemu.ProofError{Accel: accel, Stage: stage, Output: c.Output, Err: errors.New("invented by a test")}
	}
	return o
}
