package help

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// cobra's frame of the help says what this program has words for.
func TestHelpFrame(t *testing.T) {
	template := (&cobra.Command{}).UsageTemplate()
	for _, f := range frame {
		if !strings.Contains(template, f[0]) {
			t.Errorf("no %q in %s", f[0], template)
		}
	}
}

// The texts of flags begin below each other, also where the name of a value has an umlaut.
func TestFlagsStandInColumns(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.String("requires", "", "nur dort, `WÖRTER`")
	flags.String("key", "", "der `SCHLÜSSEL` dafür")
	flags.Bool("all", false, "alle")
	columns := map[int]bool{}
	for line := range strings.Lines(inColumns(flags.FlagUsages())) {
		for _, text := range []string{"nur dort", "der SCHLÜSSEL", "alle"} {
			if before, _, found := strings.Cut(line, "   "+text); found {
				columns[utf8.RuneCountInString(before)] = true
			}
		}
	}
	if len(columns) != 1 {
		t.Errorf("the texts begin in columns %v:\n%s", columns, inColumns(flags.FlagUsages()))
	}
}
