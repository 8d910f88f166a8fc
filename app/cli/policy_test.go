//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/consent"
	"piwork/app/policy"
)

// Every condition of rules can be asked about, and an AI that runs something runs a command.
func TestExplainAsksWhatIsMeant(t *testing.T) {
	at := time.Date(2026, 5, 2, 22, 0, 0, 0, time.Local)
	conditions := policy.Request{Action: policy.Connect}
	conditions.Host, conditions.Port, conditions.Runtime, conditions.Isolation = "a.example", 8080, "sandbox", "namespace"
	conditions.Effects, conditions.Files, conditions.Size, conditions.Time = []string{"delete", "network"}, 3, 5, &at
	written := func(r policy.Request) string {
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	runs := func(kind, what string) policy.Request {
		r := policy.Request{Action: policy.Run}
		r.Program, r.Kind, r.RunKind = "bash", "ai", what
		if r.Risk = "high"; kind != "ai" {
			r.Kind, r.Risk = "", ""
		}
		return r
	}
	for args, want := range map[string]policy.Request{
		"run bash --kind ai --risk high": runs("ai", policy.Command),
		"run bash":                       runs("", ""),
		"run bash --run-kind session":    runs("", policy.Session),
		"connect a.example --port 8080 --in sandbox --isolation namespace --effects delete,network --files 3 --size 5 --time 2026-05-02T22:00": conditions,
	} {
		f, _ := inBackground(t)
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"policy", "explain"}, strings.Fields(args)...), Options{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Open: f.held})
		asked := slices.ContainsFunc(f.Wishes(), func(w any) bool {
			q, is := w.(consent.ExplainRequest)
			return is && written(q.Request) == written(want)
		})
		if code != 0 || !asked {
			t.Errorf("%s: exit %d, %s, %+v", args, code, errs.String(), f.Wishes())
		}
	}
}
