package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"

	"piwork/app/policy"
)

const (
	policyRules = 20   // of each sort that a person wrote
	decisions   = 5000 // of one turn
)

// policies measures what the rules answer, beside the bare library with the same rules, whose
// entities and context are made once.
func (p *apiRoom) policies() {
	dir := must(os.MkdirTemp(p.dir, "policy"))
	defer p.remove(dir)
	var text strings.Builder
	for i := range policyRules {
		fmt.Fprintf(&text, "@id(\"keep-%d\")\nforbid (principal, action in [Action::\"write\", Action::\"delete\"], resource in Path::\"/home/a/Kept %d\");\n", i, i)
		fmt.Fprintf(&text, "@id(\"reach-%d\")\npermit (principal, action == Action::\"connect\", resource in Host::\"site-%d.example\") when { context.network != \"off\" };\n", i, i)
	}
	check(os.WriteFile(filepath.Join(dir, policy.FileName), []byte(text.String()), 0o600))
	e := policy.Open(policy.Options{Dir: dir, Managed: filepath.Join(dir, "none")})
	set := cedar.NewPolicySet()
	for _, r := range e.Rules().All() {
		var p cedar.Policy
		check(p.UnmarshalCedar([]byte(r.Cedar)))
		set.Add(cedar.PolicyID(r.Layer)+"/"+cedar.PolicyID(r.ID), &p)
	}
	if fault := e.Rules().Fault(); fault != nil {
		failf("%+v", *fault)
	}

	write := policy.Request{Action: policy.Write, What: policy.What{Path: "/home/a/Letters/2026/Trip/notes.txt"}}
	connect := policy.Request{Action: policy.Connect, What: policy.What{Host: "api.site-7.example"}, Condition: policy.Condition{Network: "restricted"}}
	command := policy.Request{Action: policy.Run, What: policy.What{Program: "rm", RunKind: policy.Command}, Condition: policy.Condition{Risk: "high", Effects: []string{"delete"}}}
	requests := []policy.Request{write, connect, command}
	bare, entities := bareRequests(requests)

	perDecision := func(decide func(i int)) func() float64 {
		return func() float64 {
			began := time.Now()
			for n := range decisions {
				decide(n % len(requests))
			}
			return float64(time.Since(began).Nanoseconds()) / 1000 / decisions
		}
	}
	ours := perDecision(func(i int) { e.Decide(requests[i]) })
	theirs := perDecision(func(i int) { cedar.Authorize(set, entities, bare[i]) })
	ours() // warm
	theirs()
	x, y := inTurn(p.runs, ours, theirs)
	p.add(row{
		Name: "api/policy/decision", Unit: "µs", Ours: median(x), Comparator: median(y), Runs: p.runs,
		ComparatorName: fmt.Sprintf("cedar-go alone with the same %d rules, for entities that are there", len(e.Rules().All())),
	})
}

// bareRequests are requests as the library has them, and all that is in them.
func bareRequests(requests []policy.Request) (out []cedar.Request, entities types.EntityMap) {
	entities = types.EntityMap{}
	add := func(kind, id, up string, attributes types.RecordMap) types.EntityUID {
		e := types.Entity{UID: types.NewEntityUID(types.EntityType(kind), types.String(id)), Attributes: types.NewRecord(attributes)}
		if up != "" {
			e.Parents = types.NewEntityUIDSet(types.NewEntityUID(types.EntityType(kind), types.String(up)))
		}
		entities[e.UID] = e
		return e.UID
	}
	who := add("Task", "new", "", types.RecordMap{"kind": types.String("exec"), "program": types.Boolean(false)})
	for _, r := range requests {
		q := cedar.Request{Principal: who, Action: types.NewEntityUID("Action", types.String(r.Action))}
		switch r.Action {
		case policy.Connect:
			q.Resource = add("Host", r.Host, "site-7.example", types.RecordMap{"port": types.Long(443), "address": types.Boolean(false)})
			add("Host", "site-7.example", "example", nil)
		case policy.Run:
			q.Resource = add("Program", r.Program, "", types.RecordMap{"kind": types.String(r.RunKind)})
		default:
			q.Resource = add("Path", r.Path, filepath.Dir(r.Path), types.RecordMap{"name": types.String(filepath.Base(r.Path))})
			for p := filepath.Dir(r.Path); p != "/"; p = filepath.Dir(p) {
				add("Path", p, filepath.Dir(p), nil)
			}
		}
		q.Context = types.NewRecord(types.RecordMap{
			"runtime": types.String("vm"), "network": types.String(r.Network), "risk": types.String(r.Risk), "about": types.String(r.About), "effects": types.NewSet(types.String("delete")),
		})
		out = append(out, q)
	}
	return out, entities
}
