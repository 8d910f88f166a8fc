package command_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"piwork/app/approval/command"
)

// row is a line of testdata/commands.txt.
type row struct {
	want, text, dir string
}

// rows are the commands whose verdict is known.
func rows(t testing.TB) []row {
	t.Helper()
	data, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		r := row{dir: "/folders/Trip"}
		want, text, _ := strings.Cut(line, "\t")
		if r.want = want; json.Unmarshal([]byte(text), &r.text) != nil {
			t.Fatalf("no command: %s", line)
		}
		if rest, ok := strings.CutPrefix(r.text, "@"); ok {
			r.dir, r.text, _ = strings.Cut(rest, " ")
		}
		out = append(out, r)
	}
	return out
}

// What an AI may run without a question, and of what a person is asked: no row that
// could change a folder is silent.
func TestCommands(t *testing.T) {
	count := map[string]int{}
	for _, r := range rows(t) {
		v := command.Classify(r.text, r.dir)
		got := strings.Join(v.Effects, " ")
		shown := r.text[:min(len(r.text), 200)]
		switch r.want {
		case "ask":
			if v.Silent() {
				t.Errorf("nobody is asked about %q (%s)", shown, got)
			}
		case "-":
			if got != "" {
				t.Errorf("%q is said to do %s", shown, got)
			}
		default:
			if got != r.want {
				t.Errorf("%q is said to do %q, not %q", shown, got, r.want)
			}
		}
		if v.Silent() {
			count["silent"]++
		} else {
			count["asked"]++
		}
	}
	if count["asked"] < 1000 || count["silent"] < 280 {
		t.Errorf("rows are missing: %v", count)
	}
}

// What follows a command, or stands before it, is judged with it, whatever the command is.
func TestNothingHides(t *testing.T) {
	for _, r := range rows(t) {
		for _, text := range []string{"rm /folders/Trip/x\n" + r.text, r.text + "\nrm /folders/Trip/x", r.text + "\n\n) rm x", "echo $(" + r.text + "\nrm /folders/Trip/x\n)"} {
			if strings.HasSuffix(r.text, `\`) {
				continue // it takes the line that follows
			}
			if command.Classify(text, r.dir).Silent() {
				t.Errorf("nobody is asked about %q", text[:min(len(text), 200)])
			}
		}
	}
}

// The person sees what a command is about.
func TestTargets(t *testing.T) {
	v := command.Classify(`rm -rf "My Photos" $x; mv a b; ls > 'c d'; rm a`, "/folders/Trip")
	if want := []string{`"My Photos"`, "$x", "a", "b", "'c d'"}; !slices.Equal(v.Targets, want) {
		t.Errorf("targets %q", v.Targets)
	}
	if !slices.Equal(v.Effects, []string{command.Delete, command.Move, command.Overwrite}) {
		t.Errorf("effects %q", v.Effects)
	}
	if v := command.Classify("rm "+strings.Repeat("a b c d e f g h ", 10)+strings.Join(strings.Split(strings.Repeat("x", 200), ""), "1 "), "/"); len(v.Targets) > 50 {
		t.Errorf("%d targets", len(v.Targets))
	}
}

// Variables for a silent command say one thing each, and switch off what a repository
// could have git run.
func TestGitEnv(t *testing.T) {
	if command.GitEnv["GIT_CONFIG_COUNT"] != "8" || command.GitEnv["GIT_CONFIG_KEY_0"] != "core.fsmonitor" || command.GitEnv["GIT_CONFIG_VALUE_7"] != "/bin/false" {
		t.Errorf("%v", command.GitEnv)
	}
}

// Whatever an AI writes, it is judged, in bounded time; and beside a command that deletes
// nothing is silent.
func FuzzClassify(f *testing.F) {
	for _, r := range rows(f) {
		f.Add(r.text)
	}
	for _, odd := range []string{"(", "$(", "`", "${", "$((", "[[", "<<X\n", "a <<X\n", "{ ", "if ", "case x in ", "\"$(", "<(", "!", "@(", "for x in "} {
		f.Add(strings.Repeat(odd, 3000/len(odd)))
		f.Add(strings.Repeat(odd, 90))
	}
	effects := []string{command.Write, command.Delete, command.Move, command.Overwrite, command.Change, command.Network, command.Install, command.System, command.Unknown}
	f.Fuzz(func(t *testing.T, text string) {
		v := command.Classify(text, "/folders/Trip")
		if !slices.IsSorted(v.Effects) || len(v.Targets) > 50 {
			t.Errorf("verdict %+v", v)
		}
		for _, e := range v.Effects {
			if !slices.Contains(effects, e) {
				t.Errorf("effect %q", e)
			}
		}
		if again := command.Classify(text, "/folders/Trip"); !slices.Equal(again.Effects, v.Effects) {
			t.Errorf("%v, and then %v", v.Effects, again.Effects)
		}
		if command.Classify("rm /folders/Trip/x\n"+text, "/folders/Trip").Silent() {
			t.Errorf("nobody is asked about a deletion before %q", text)
		}
		if !strings.HasSuffix(text, `\`) && command.Classify(text+"\nrm /folders/Trip/x", "/folders/Trip").Silent() {
			t.Errorf("nobody is asked about a deletion after %q", text)
		}
	})
}
