package tools

import (
	"errors"
	"fmt"
	"reflect"
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
	Changes  bool     // it changes or moves its inputs: only file.move and file.remove
	Programs []string // of the pack, by the name of their tool, that it needs
	Accepts  []string // suffixes of files that it can use, empty for any; its content decides
	Random   bool     // the same inputs give other bytes on purpose

	// Report is the type of what it says of its inputs or of what it made: [Made] for
	// OutEach unless it says more; nil where it says nothing.
	Report reflect.Type

	params func() Params // with defaults
	work   work          // what it is bounded by
}

// Output says what an operation makes.
type Output string

// Outputs. Nothing that is there is replaced unless the parameter "replace"
// says so.
const (
	OutNone   Output = "none"   // reports only
	OutFile   Output = "file"   // one file, at ToolParams.Out
	OutFolder Output = "folder" // files in the folder ToolParams.Out, which is made when it is not there
	// OutEach is one file for each input: at ToolParams.Out for a single input
	// without the parameter "names", else in the folder ToolParams.Out, named by
	// it or after the inputs.
	OutEach Output = "each"
)

// Each are the parameters that all operations with OutEach have.
type Each struct {
	// Names are those of the results, one for each input.
	Names   []string `json:"names" schema:"maxItems=2000"`
	Replace bool     `json:"replace" schema:"default=false"`
}

// checkCall checks the names of results against the inputs.
func (e Each) checkCall(c wire.ToolParams) error {
	if len(e.Names) == 0 {
		return nil
	}
	if len(e.Names) != len(c.In) {
		return &wire.InvalidError{Field: "params.names", Reason: fmt.Sprintf("%d names for %d inputs", len(e.Names), len(c.In))}
	}
	seen := map[string]bool{}
	for _, n := range e.Names {
		if !FileName(n) || seen[n] {
			return &wire.InvalidError{Field: "params.names", Reason: fmt.Sprintf("%q is not a name of its own", wire.Short(n))}
		}
		seen[n] = true
	}
	return nil
}

// Results returns where the results go.
func (e Each) Results() Each { return e }

// Params are the parameters of an operation: a pointer to a struct with JSON
// and schema tags, see [Operation.Decode]. Where the bounds of single members cannot
// say all, it has a method Check() error, and checkCall(wire.ToolParams) error where
// the whole call decides.
type Params any

// CheckParams calls the Check of parameters that have one.
func CheckParams(p Params) error {
	if c, ok := p.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}

// Load is how much there is to do.
type Load struct {
	Inputs int   // number of files
	Bytes  int64 // of all of them
}

// Limits bound an operation.
type Limits struct {
	Wall       time.Duration // for the whole operation
	Program    time.Duration // for one run of one program
	FileSize   int64         // bytes of the largest file that is written
	MemoryMB   int64         // MiB of everything together
	Processors int           // that may be busy at a time
	Processes  int           // processes and threads at a time
	IO         int64         // bytes per second from and to each disk of the machine
}

// operations in the order in which they are listed.
var operations = slices.Concat(imageOperations, pdfOperations, archiveOperations, tableOperations, fileOperations,
	metadataOperations, plistOperations, textOperations, audioOperations, musicOperations)

// Find returns the operation of a name.
func Find(name string) (Operation, bool) {
	i := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		return Operation{}, false
	}
	o := operations[i]
	if o.Report == nil && o.Out == OutEach {
		o.Report = reflect.TypeFor[Made]()
	}
	return o, true
}

// Limits returns the limits for a load.
func (o Operation) Limits(l Load) Limits { return o.work.limits(l) }

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
	case o.Out != OutNone && p.Out == "":
		return nil, &wire.InvalidError{Field: "out", Reason: o.Name + " makes something and needs its name"}
	case o.Out != OutNone && slices.Contains(p.In, p.Out):
		return nil, &wire.InvalidError{Field: "out", Reason: "the result is one of the inputs"}
	}
	params, err := o.Decode(p.Params)
	if err != nil {
		return nil, err
	}
	if err := CheckParams(params); err != nil {
		if bad, is := errors.AsType[*wire.InvalidError](err); is {
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
	Changes  bool           `json:"changes"` // its inputs, instead of making something
	Random   bool           `json:"random"`  // the same inputs give other bytes on purpose
	Accepts  []string       `json:"accepts"` // suffixes; empty for any
	Programs []string       `json:"programs"`
	Licences []string       `json:"licences"` // SPDX expressions of the programs
	AddOns   []string       `json:"addOns"`   // that it needs
	Bounds   Bounds         `json:"bounds"`   // what it is held to while it runs
	Params   map[string]any `json:"params"`   // JSON schema, draft 2020-12

	// The words, which app/words writes where an operation is shown.
	Title string                `json:"title,omitempty"`
	About string                `json:"about,omitempty"`
	Words map[string]ParamWords `json:"words,omitempty"` // of the parameters, by their names
}

// ParamWords is what a person is told of a parameter.
type ParamWords struct {
	Label   string            `json:"label"`
	Hint    string            `json:"hint,omitempty"`
	Choices map[string]string `json:"choices,omitempty"` // what each choice is called
}

// Names are those of all operations, in a fixed order.
func Names() []string {
	out := make([]string, len(operations))
	for i, o := range operations {
		out[i] = o.Name
	}
	return out
}

// Catalogue describes every operation, in the order of Names.
func Catalogue() []Description {
	out := make([]Description, len(operations))
	for i, o := range operations {
		out[i] = o.Description()
	}
	return out
}

// Description describes the operation.
func (o Operation) Description() Description {
	return Description{
		Name: o.Name, MinIn: o.Min, MaxIn: o.Max, Folders: o.Folders, Out: o.Out, Changes: o.Changes, Random: o.Random,
		Accepts: append([]string{}, o.Accepts...), Programs: append([]string{}, o.Programs...),
		Licences: o.Licences(), AddOns: o.AddOns(), Bounds: o.Bounds(), Params: o.Schema(),
	}
}

// ScratchName is the only form in which programs see the name of a file: the
// number of an input and a suffix of ours.
func ScratchName(n int, suffix string) string { return fmt.Sprintf("%06d.%s", n, suffix) }

// NoteKept is the note of a result that is the input.
const NoteKept = "kept"

// Made is what operations with OutEach report of each input, unless they have
// more to say.
type Made struct {
	Path string `json:"path"`
	Out  string `json:"out"`
	Note string `json:"note,omitempty"` // NoteKept: nothing was to be gained, the result is the input
}
