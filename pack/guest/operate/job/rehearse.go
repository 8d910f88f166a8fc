package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"

	"piwork/pack/tools"
	"piwork/pack/tools/picture"
	"piwork/vmhost/wire"
)

// Rehearse has done, while nobody waits, what operations do first: what
// encoding/json learns of types when it meets them, the memory of the buffers, and
// the code that opens, reads and hashes. Each page of them that is touched for the
// first time is a way to the kernel, some thousand instructions that are emulated
// in slow mode.
func Rehearse() error {
	said, err := json.Marshal(Event{Load: &tools.Load{}, Progress: &wire.ToolProgress{}, Placing: new(""), Ran: &Ran{}, Result: &wire.ToolResult{
		Out: []wire.ToolFile{{}}, Info: []any{tools.Made{}, tools.ImageInfo{}}, Problems: []wire.ToolProblem{{}},
	}})
	if err != nil {
		return err
	}
	order, err := json.Marshal(Order{Tool: wire.ToolParams{In: []string{""}, Params: map[string]any{"": 1}}})
	if err != nil {
		return err
	}
	return errors.Join(json.Unmarshal(said, &Event{}), json.Unmarshal(order, &Order{}), rehearseReading(), rehearseProgram())
}

// rehearseProgram has the parts of a run of a program done without one, among them
// those that are done once in a process: package os finds out with a process of its own
// how it can wait for others.
func rehearseProgram() error {
	if op, ok := tools.Find("image.resize"); ok {
		if _, err := op.Check(wire.ToolParams{ID: "x", Op: op.Name, In: []string{"/x"}, Out: "/y", Params: map[string]any{"width": 1}}); err != nil {
			return err
		}
	}
	_ = temporary("/x")
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Release() // nobody waits for it
	}
	aside := newBeside(io.Discard)
	_, err := aside.Write(make([]byte, besideFrom))
	_, hear, lerr := listen(&exec.Cmd{}, nil)
	if lerr == nil {
		hear(0)
	}
	return errors.Join(err, lerr, aside.Close(), prepareRules())
}

// rehearseReading reads a file that is always there, and a picture of one pixel.
func rehearseReading() error {
	prepareBuffers()
	if self, _, err := OpenInput("/proc/self/status", BufferSize); err == nil {
		self.Close()
	}
	if _, err := picture.Inspect(bytes.NewReader(onePixel), bytes.NewReader(onePixel), int64(len(onePixel))); err != nil {
		return err
	}
	buf := takeBuffer()
	defer giveBuffer(buf)
	_, _, err := Digest(io.MultiReader(bytes.NewReader(buf), bytes.NewReader(buf)))
	return err
}

// onePixel is the frame of a JPEG, which nobody decodes: SOI, SOF0 of 1 × 1, SOS, a
// byte of data, EOI.
var onePixel = []byte("\xFF\xD8\xFF\xC0\x00\x0B\x08\x00\x01\x00\x01\x01\x01\x11\x00\xFF\xDA\x00\x08\x01\x01\x00\x00\x3F\x00\x01\xFF\xD9")
