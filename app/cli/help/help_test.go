package help

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
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
