// Command words says records in words for the invented controller, as the real one does
// (app/api): each line of its input is a language and an answer as JSON, each of its
// output the same answer with its words.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"piwork/app/api/answer"
	"piwork/app/approval"
	"piwork/app/chore"
	"piwork/app/consent"
	"piwork/app/machines"
	"piwork/app/models"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/runtimes"
	"piwork/app/saved"
	"piwork/app/services"
	"piwork/app/setup"
	"piwork/app/task"
	"piwork/app/upkeep"
	"piwork/app/words"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// shapes tell what an object is by members that it has.
var shapes = []struct {
	members []string
	said    func(*words.Catalogue, []byte) ([]byte, error)
}{
	{[]string{"cause", "code", "fix"}, said[problem.Problem]},
	{[]string{"folders", "kind", "network", "state"}, said[task.Task]},
	{[]string{"data", "kind", "task"}, said[task.Event]},
	{[]string{"chore", "operations"}, said[chore.Plan]},
	{[]string{"effects", "name", "params"}, said[chore.Info]},
	{[]string{"accepts", "name", "params"}, said[tools.Description]},
	{[]string{"current", "phase"}, said[updater.State]},
	{[]string{"code", "state", "tookMs"}, said[setup.Check]},
	{[]string{"change", "reason"}, said[journal.Conflict]},
	{[]string{"detail", "ok", "reason"}, said[models.KeyTest]},
	{[]string{"count", "method", "received"}, said[services.TaskRequest]},
	{[]string{"bytes", "what"}, said[upkeep.StorageItem]},
	{[]string{"host", "instant", "share"}, said[machines.Machines]},
	{[]string{"items", "kind", "text"}, said[vmhost.Question]},
	{[]string{"answer", "id", "topic"}, said[approval.Rule]},
	{[]string{"code", "hosts", "on"}, said[consent.NetworkPreset]},
	{[]string{"allowance", "isolation", "kind"}, said[runtimes.Status]},
	{[]string{"kind", "reason", "taken"}, said[runtimes.Verdict]},
	{[]string{"chore", "created", "runtime"}, said[saved.SavedChore]},
	{[]string{"about", "cedar", "then"}, said[policy.Proposal]},
	{[]string{"cedar", "effect", "layer"}, saidRule},
	{[]string{"cedar", "id", "rule"}, said[policy.RuleException]},
	{[]string{"code", "layer", "message"}, said[policy.RuleFault]},
}

// spoken are the members that have words; those that an answer lacks are added.
var spoken = strings.Fields("said called stands title about run unit summary words detail reason then lead steps notes quotes caution more answers name where text")

func said[T any](c *words.Catalogue, record []byte) ([]byte, error) {
	var v T
	if err := json.Unmarshal(record, &v); err != nil {
		return nil, fmt.Errorf("%T: %w: %.200s", v, err, record)
	}
	return json.Marshal(answer.InWords(c, v))
}

// saidRule says a written rule, which is read for that.
func saidRule(c *words.Catalogue, record []byte) ([]byte, error) {
	var v policy.WrittenRule
	if err := json.Unmarshal(record, &v); err != nil {
		return nil, err
	}
	if read, fault := policy.Check(v.Cedar); fault == nil && len(read) == 1 {
		v.Sentence = read[0].Sentence
	}
	return json.Marshal(answer.InWords(c, v))
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var line struct {
			Language string `json:"language"`
			Answer   any    `json:"answer"`
		}
		err := in.Decode(&line)
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			line.Answer, err = speak(words.For(line.Language), line.Answer)
		}
		if err == nil {
			err = out.Encode(line.Answer)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// speak says every record in an answer; what holds others says those, too.
func speak(c *words.Catalogue, v any) (any, error) {
	switch v := v.(type) {
	case []any:
		for i := range v {
			one, err := speak(c, v[i])
			if err != nil {
				return nil, err
			}
			v[i] = one
		}
	case map[string]any:
		for name := range v {
			inner, err := speak(c, v[name])
			if err != nil {
				return nil, err
			}
			v[name] = inner
		}
		for _, fix := range list(v["fix"]) {
			if fix, ok := fix.(map[string]any); ok {
				fix["kind"] = problem.Fixes(fmt.Sprint(fix["code"]))[0].Kind
			}
		}
		for _, s := range shapes {
			if !has(v, s.members) {
				continue
			}
			record, err := json.Marshal(v)
			if err == nil {
				record, err = s.said(c, record)
			}
			var shown map[string]any
			if err == nil {
				err = json.Unmarshal(record, &shown)
			}
			if err != nil {
				return nil, err
			}
			return spokenIn(v, shown), nil
		}
	}
	return v, nil
}

// spokenIn is v with the words of shown.
func spokenIn(v, shown any) any {
	switch shown := shown.(type) {
	case map[string]any:
		into, ok := v.(map[string]any)
		if !ok {
			return v
		}
		for name, one := range shown {
			if slices.Contains(spoken, name) {
				into[name] = one
			} else if inner, there := into[name]; there {
				into[name] = spokenIn(inner, one)
			}
		}
	case []any:
		if into, ok := v.([]any); ok && len(into) == len(shown) {
			for i := range shown {
				into[i] = spokenIn(into[i], shown[i])
			}
		}
	}
	return v
}

func has(v map[string]any, members []string) bool {
	return !slices.ContainsFunc(members, func(name string) bool { _, there := v[name]; return !there })
}

func list(v any) []any { l, _ := v.([]any); return l }
