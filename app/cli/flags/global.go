package flags

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/output"
)

// Format is how answers are written, as the flags say that every command has.
type Format struct {
	json             bool
	output, template string
}

// Add gives a program the flags.
func (f *Format) Add(root *cobra.Command) {
	p := root.PersistentFlags()
	p.BoolVar(&f.json, "json", false, "")
	p.StringVarP(&f.output, "output", "o", "", "")
	p.StringVar(&f.template, "format", "", "")
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(output.Kinds, cobra.ShellCompDirectiveNoFileComp))
	_ = root.RegisterFlagCompletionFunc("format", cobra.NoFileCompletions)
}

// Chosen reads the flags.
func (f *Format) Chosen() (output.Format, error) {
	switch {
	case f.output != "" && f.json && f.output != string(output.JSON):
		return output.Format{}, Usage("exclude", "one", "--json", "other", "-o "+f.output)
	case f.template != "" && (f.json || f.output != ""):
		return output.Format{}, Usage("exclude", "one", "--format", "other", "-o")
	case f.template != "":
		t, err := output.OfTemplate(f.template)
		if err != nil {
			err = Usage("format", "error", err)
		}
		return t, err
	case f.json:
		return output.Format{Kind: output.JSON}, nil
	case f.output == "":
		return output.Format{}, nil
	case !slices.Contains(output.Kinds, f.output):
		return output.Format{}, Usage("one-of", "flag", "--output", "value", f.output, "choices", output.Kinds)
	}
	return output.Format{Kind: output.Kind(f.output)}, nil
}

// ForPrograms reports whether arguments that could not be read ask for answers that are
// JSON or YAML.
func ForPrograms(args []string) bool {
	for i, a := range args {
		switch value, _ := strings.CutPrefix(a, "--output="); {
		case a == "--":
			return false
		case a == "--json", value == "json", value == "yaml":
			return true
		case a == "-ojson", a == "-oyaml":
			return true
		case (a == "-o" || a == "--output") && i+1 < len(args):
			return args[i+1] == "json" || args[i+1] == "yaml"
		}
	}
	return false
}

// DataDir makes the data directory absolute. It may be new, but no file.
func DataDir(given string) (string, error) {
	if given == "" {
		return "", nil
	}
	dir, err := filepath.Abs(given)
	if _, none := os.Stat(dir); err == nil && none == nil {
		err = hasFolder(dir)
	}
	return dir, err
}
