package tools

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"piwork/vmhost/wire"
)

// Operation is one typed operation: everything that is known of it before it
// is carried out.
type Operation struct {
	Name     string   // "object.verb"
	Min, Max int      // number of inputs
	Folders  bool     // an input may be a folder
	Out      Output   // what it makes
	Programs []string // of the pack, by the name of their tool, that it needs

	params func() Params                 // with defaults
	limits func(p Params, l Load) Limits // by what there is to do
}

// Output says what an operation makes.
type Output string

// Outputs.
const (
	OutNone Output = "none" // reports only
	OutFile Output = "file" // one file, at ToolParams.Out
)

// Params are the parameters of an operation: a pointer to a struct with JSON
// and schema tags, see [Operation.Decode].
type Params interface {
	// Check checks what the bounds of single members cannot say.
	Check() error
}

// Load is how much there is to do.
type Load struct {
	Inputs int   // number of files
	Bytes  int64 // of all of them
}

// Limits bound an operation.
type Limits struct {
	Wall     time.Duration // for the whole operation
	Program  time.Duration // for one run of one program
	FileSize int64         // bytes of the largest file that is written
	MemoryMB int64         // MiB of everything together; 0 is what the machine has
}

// The limits of an operation that does nearly nothing. What there is to do is
// added to them; emulation may be twenty times slower than the machine.
const (
	baseWall = time.Minute
	baseIO   = 256 << 20 // bytes
)

// operations in the order in which they are listed.
var operations = []Operation{imageInfo, imageConvert, pdfMerge, fileHash}

// Find returns the operation of a name.
func Find(name string) (Operation, bool) {
	i := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		return Operation{}, false
	}
	return operations[i], true
}

// maxWall bounds any operation, whatever there is to do.
const maxWall = 7 * 24 * time.Hour

// Limits returns the limits for a load.
func (o Operation) Limits(p Params, l Load) Limits {
	limits := o.limits(p, l)
	limits.Wall, limits.Program = min(limits.Wall, maxWall), min(limits.Program, maxWall)
	return limits
}

// Check checks a whole call and returns its parameters. Errors are
// *wire.InvalidError.
func (o Operation) Check(p wire.ToolParams) (Params, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if len(p.In) < o.Min || len(p.In) > o.Max {
		return nil, &wire.InvalidError{Field: "in", Reason: fmt.Sprintf("%d inputs, %s takes %d to %d", len(p.In), o.Name, o.Min, o.Max)}
	}
	switch {
	case o.Out == OutNone && p.Out != "":
		return nil, &wire.InvalidError{Field: "out", Reason: o.Name + " only reports"}
	case o.Out == OutFile && p.Out == "":
		return nil, &wire.InvalidError{Field: "out", Reason: o.Name + " makes a file and needs its name"}
	case o.Out == OutFile && slices.Contains(p.In, p.Out):
		return nil, &wire.InvalidError{Field: "out", Reason: "the result is one of the inputs"}
	}
	params, err := o.Decode(p.Params)
	if err != nil {
		return nil, err
	}
	if err := params.Check(); err != nil {
		var bad *wire.InvalidError
		if errors.As(err, &bad) {
			return nil, bad
		}
		return nil, &wire.InvalidError{Field: "params", Reason: err.Error()}
	}
	if c, ok := params.(interface{ checkCall(wire.ToolParams) error }); ok {
		if err := c.checkCall(p); err != nil {
			return nil, err
		}
	}
	return params, nil
}

// Description is an operation for an API, a command line or a form.
type Description struct {
	Name     string         `json:"name"`
	MinIn    int            `json:"minIn"`
	MaxIn    int            `json:"maxIn"`
	Folders  bool           `json:"folders"`
	Out      Output         `json:"out"`
	Programs []string       `json:"programs"`
	Params   map[string]any `json:"params"` // JSON schema, draft 2020-12
}

// Catalogue describes every operation, in a fixed order.
func Catalogue() []Description {
	out := make([]Description, len(operations))
	for i, o := range operations {
		out[i] = Description{
			Name: o.Name, MinIn: o.Min, MaxIn: o.Max, Folders: o.Folders, Out: o.Out,
			Programs: append([]string{}, o.Programs...), Params: o.Schema(),
		}
	}
	return out
}

// ScratchName is the only form in which programs see the name of a file: the
// number of an input and a suffix of ours.
func ScratchName(n int, suffix string) string { return fmt.Sprintf("%06d.%s", n, suffix) }
