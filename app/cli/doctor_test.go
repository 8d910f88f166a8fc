package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/setup"
	"piwork/pack/spec"
)

// Every computer that is not ready, as app/setup reports it (its golden file),
// of all three systems: cause, consequence, steps, and what needs a restart.
func TestDoctorOfEveryComputer(t *testing.T) {
	data, err := os.ReadFile("../setup/testdata/computers.json")
	if err != nil {
		t.Fatal(err)
	}
	var computers map[string]setup.Report
	if err := json.Unmarshal(data, &computers); err != nil || len(computers) < 15 {
		t.Fatalf("%d computers, %v", len(computers), err)
	}
	for name, r := range computers {
		var out bytes.Buffer
		e := newEnv(Options{Stdout: &out})
		printReport(e, r)
		text := out.String()
		for _, want := range []string{r.OS + "/" + r.Arch, "Workroom opens", "1. ", "Not ready yet."} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", name, want, text)
			}
		}
		if strings.ContainsAny(text, "{}|") || strings.Contains(text, "<nil>") || strings.Contains(text, "Unexpected error") {
			t.Errorf("%s:\n%s", name, text)
		}
		p := r.Problems[0]
		for _, f := range p.Fix {
			for line := range strings.Lines(f.Command) {
				if !strings.Contains(text, "\n       "+strings.TrimSpace(line)+"\n") {
					t.Errorf("%s does not show the command %q:\n%s", name, line, text)
				}
			}
		}
		terminal.Texts().Problem(&p)
		if restart := p.Then; !strings.Contains(text, restart) || restart == "" && strings.Contains(text, "\n     Then ") {
			t.Errorf("%s: restart %q:\n%s", name, p.Restart, text)
		}
	}
}

// What a pack's flavour cannot do is said with a sentence for each, and nothing is
// said of one that can do all.
func TestDoctorOfAStockPack(t *testing.T) {
	for flavour, lines := range map[spec.Flavour]int{spec.FlavourOwn: 0, spec.FlavourStock: 4} {
		var out bytes.Buffer
		e := newEnv(Options{Stdout: &out})
		printReport(e, setup.Report{Ready: true, Pack: setup.PackState{Installed: true, Flavour: string(flavour), Missing: flavour.Abilities().Missing()}})
		if n := strings.Count(out.String(), "       - "); n != lines || strings.Contains(out.String(), "flavour "+string(flavour)) != (lines > 0) {
			t.Errorf("%s: %d lines:\n%s", flavour, n, out.String())
		}
		for _, ability := range flavour.Abilities().Missing() {
			if said := wording.Name("pack-missing", ability); said == ability || !strings.Contains(out.String(), said) {
				t.Errorf("%s: no words for %s:\n%s", flavour, ability, out.String())
			}
		}
	}
}
