package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTierFuzzesEach plays fuzz_all with a go that says what go test would: it runs every
// target of the list, and fails for a list that cannot be made, a target that fails, and
// one that its package does not have, which go test is content with. Played again, it runs those
// that failed.
func TestTierFuzzesEach(t *testing.T) {
	const pass, two = "echo ok", "printf './a FuzzA\\n./b FuzzB\\n'"
	for name, tt := range map[string]struct {
		list, test string
		ran, again int
		ok         bool
	}{
		"all are there":  {two, pass, 2, 0, true},
		"one fails":      {two, `[ "${!#}" != ./a ]`, 2, 1, false},
		"not there":      {two, `[ "${!#}" = ./b ] || echo "testing: warning: no fuzz tests to fuzz" >&2`, 2, 1, false},
		"no tests there": {two, `[ "${!#}" = ./a ] || echo "?   	b	[no test files]"`, 2, 1, false},
		"a wrong list":   {two + "; return 1", pass, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			script := "set -euo pipefail\ncache=" + t.TempDir() + " scratch=$cache\nsay() { echo \"$*\" >&2; }\n. ../tiers.sh\n" +
				"go() { case $1 in run) " + tt.list + "; return ;; list) echo .; return ;; env) return ;; esac\n" +
				"case $2 in -c) printf '#!/bin/sh\\necho \"coverage: 12.3%% of statements\"\\n' >$5; chmod +x $5; return ;; esac; echo \"ran $*\"; " + tt.test + "; }\nfuzz_all\n"
			for _, want := range []int{tt.ran, tt.again} {
				out, err := exec.Command("bash", "-c", script).CombinedOutput()
				if (err == nil) != tt.ok {
					t.Errorf("%v: %s", err, out)
				}
				if tt.ok && strings.Count(string(out), "inputs: 12.3% of statements\n") != want {
					t.Errorf("what it reached: %s", out)
				}
				if n := strings.Count(string(out), "ran test -run ^$ -fuzz ^Fuzz"); n != want {
					t.Errorf("%d were run: %s", n, out)
				}
			}
		})
	}
}

// TestLongerFuzzingIsPlayed: what passed is played again when a variable that the help of
// ./scripts/test names says to fuzz for longer.
func TestLongerFuzzingIsPlayed(t *testing.T) {
	help, err := os.ReadFile("../../test")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`PIWORK_TEST_FUZZ\w*`).FindAllString(string(help), -1)
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 3 {
		t.Fatal(names)
	}
	script := "set -euo pipefail\ncache=" + t.TempDir() + " files=same\nunset ${!PIWORK_TEST_*}\nsay() { echo \"$*\"; }\n. ../tiers.sh\n" +
		"job() { \"${@:3}\"; }\nonce fuzz '' echo played\nonce fuzz '' echo played\n" +
		"for name in " + strings.Join(names, " ") + "; do export $name=30m; echo $name; once fuzz '' echo played; unset $name; done\n"
	want := "played\npassed before, and nothing changed since\n" + strings.Join(names, "\nplayed\n") + "\nplayed\n"
	if out, err := exec.Command("bash", "-c", script).CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("%v: %s", err, out)
	}
}
