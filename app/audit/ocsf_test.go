package audit

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// ocsfRules is what the schema (tag 1.3.0 of ocsf-schema) wants of a class or an object, of what we use: attributes
// that are required, one of which there has to be, and that there may be.
type ocsfRules struct{ required, oneOf, others string }

const ocsfEvent = "activity_id category_uid class_uid type_uid time severity_id metadata"

var ocsfSchema = map[string]ocsfRules{
	"0":            {ocsfEvent, "", "message status_id unmapped"},
	"1007":         {ocsfEvent + " actor device process", "", "message status_id status_code duration exit_code unmapped"},
	"3003":         {ocsfEvent + " user", "privileges group", "message actor device session status_id unmapped"},
	"4001":         {ocsfEvent + " dst_endpoint", "", "message actor device traffic status_id unmapped"},
	"metadata":     {"product version", "", "profiles sequence correlation_uid"},
	"product":      {"vendor_name", "name uid", ""},
	"actor":        {"", "process user session app_name", ""},
	"user":         {"", "account name uid", ""},
	"device":       {"type_id", "ip uid name hostname", ""},
	"process":      {"", "pid uid", "name"},
	"session":      {"", "uid", ""},
	"dst_endpoint": {"", "ip uid name hostname", "port"},
	"traffic":      {"", "bytes bytes_in bytes_out", ""},
}

func holdsSchema(t *testing.T, name string, of map[string]any) {
	t.Helper()
	rules, ok := ocsfSchema[name]
	if !ok {
		t.Fatalf("no rules for %q", name)
	}
	required, oneOf := strings.Fields(rules.required), strings.Fields(rules.oneOf)
	has := func(attribute string) bool { return of[attribute] != nil && of[attribute] != "" }
	for _, attribute := range required {
		if !has(attribute) {
			t.Errorf("%s has no %s: %v", name, attribute, of)
		}
	}
	if len(oneOf) > 0 && !slices.ContainsFunc(oneOf, has) {
		t.Errorf("%s has none of %s: %v", name, rules.oneOf, of)
	}
	for attribute, value := range of {
		if !slices.Contains(slices.Concat(required, oneOf, strings.Fields(rules.others)), attribute) {
			t.Errorf("%s has no attribute %s: %v", name, attribute, of)
		}
		if object, ok := value.(map[string]any); ok && attribute != "unmapped" {
			holdsSchema(t, attribute, object)
		}
		if list, ok := value.([]any); ok && slices.Contains(list, any("")) {
			t.Errorf("%s of %s: %q", attribute, name, list)
		}
	}
	if meta, ok := of["metadata"].(map[string]any); ok && (of["actor"] != nil || of["device"] != nil) && meta["profiles"] == nil {
		t.Errorf("%s has actor or device without their profile", name)
	}
}

// An event has what its class requires, whatever the record lacks.
func TestEventsFollowTheSchema(t *testing.T) {
	for _, r := range []Record{
		{Event: EventBegin, Exec: "t/1"},
		{Event: EventBegin, Exec: "t/1", Client: "ci@1", Begin: Begin{Program: "grep", Domain: "vm"}},
		{Event: EventEnd, Exec: "t/1", Ending: Ending{Ended: EndedInterrupted}},
		{Event: EventDecision},
		{Event: EventDecision, Task: "t", Request: "r1", Decision: Decision{By: "person", Topic: "delete", Answer: "allow"}},
		{Event: EventFolder, Task: "t", Decision: Decision{Topic: FolderAdded}},
		{Event: EventTraffic, Traffic: Traffic{Host: "example.org"}},
		{Event: EventRequest, Traffic: Traffic{Host: "example.org"}, Asked: Asked{Service: "wiki"}, Decision: Decision{Answer: "deny"}},
		{Event: EventRecovered, Dropped: 3}, {Event: EventExpired, Dropped: 3}, {Event: EventBroken, Reason: "x"},
	} {
		t.Run(string(r.Event), func(t *testing.T) {
			e := r.OCSF()
			data, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			var of map[string]any
			if err := json.Unmarshal(data, &of); err != nil {
				t.Fatal(err)
			}
			class, err := json.Marshal(e.Class)
			if err != nil {
				t.Fatal(err)
			}
			holdsSchema(t, string(class), of)
			if r.Answer == "deny" && e.Status != ocsfFailure {
				t.Errorf("refused, and its status is %d", e.Status)
			}
		})
	}
}
