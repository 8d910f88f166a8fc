package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"piwork/app/setup"
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
		e := &env{Options: Options{Stdout: &out}}
		e.report(r)
		text := out.String()
		for _, want := range []string{r.OS + "/" + r.Arch, "Workroom opens", "1. ", "Not ready yet."} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", name, want, text)
			}
		}
		if strings.ContainsAny(text, "{}|") || strings.Contains(text, "<nil>") || strings.Contains(text, "Something went wrong") {
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
		if restart := restartLine(p); !strings.Contains(text, restart) || restart == "" && strings.Contains(text, "\n     Then ") {
			t.Errorf("%s: restart %q:\n%s", name, p.Restart, text)
		}
	}
}
