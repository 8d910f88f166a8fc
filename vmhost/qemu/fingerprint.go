package qemu

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Fingerprint identifies the machine that s describes, apart from what is
// different every time (sockets, overlay, memory file, name). Two Specs with
// one fingerprint behave the same, so that what was proven for one holds for
// the other.
func Fingerprint(s Spec) string {
	s.Name = ""
	if s.Console != "" {
		s.Console = "console"
	}
	ports := make([]Port, len(s.Ports))
	for i, p := range s.Ports {
		ports[i] = Port{Name: p.Name, Socket: "socket"}
	}
	s.Ports = ports
	if s.Folders != "" {
		s.Folders = "folders"
	}
	if s.Overlay != "" {
		s.Overlay = "overlay"
	}
	if s.RAM != nil {
		s.RAM = &RAMFile{Path: "ram", Private: s.RAM.Private, Handed: s.RAM.Handed}
	}
	h := sha256.New()
	for _, part := range [][]string{{s.Image.ID}, s.Image.Env, CommandLine(s)} {
		writeParts(h, part...)
		fmt.Fprint(h, ";")
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TemplateKey identifies the saved states that a machine can be restored from:
// those with one key were saved by the same QEMU, of the same machine, for the
// same guest, on the computer that MachineKey identifies. What is plugged later
// is not part of it (Image.AddOns), nor is on which side of saving s is.
func TemplateKey(s Spec, machineKey string) string {
	s.Image.AddOns, s.Incoming, s.RAM = nil, false, &RAMFile{}
	h := sha256.New()
	writeParts(h, "template 1", Fingerprint(s), machineKey)
	return hex.EncodeToString(h.Sum(nil))
}

// MachineKey identifies what a saved state depends on outside of its Spec: this
// computer's processor with its features, and its system. The same computer
// with a new kernel, or with new microcode, has another one.
func MachineKey() (string, error) {
	parts, err := machineParts()
	if err != nil {
		return "", fmt.Errorf("identify this computer's processor: %w", err)
	}
	h := sha256.New()
	writeParts(h, parts...)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// writeParts writes what no other parts write.
func writeParts(w io.Writer, parts ...string) {
	for _, p := range parts {
		fmt.Fprintf(w, "%d:%s,", len(p), p)
	}
}
