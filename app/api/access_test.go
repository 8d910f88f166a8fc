package api_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	mathbig "math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app/access"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/approval"
	"piwork/app/audit/audittest"
	"piwork/app/consent"
	"piwork/app/history"
	"piwork/app/policy"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/lazyregexp"
	"piwork/vmhost"
	"piwork/vmhost/share/journal"
)

// ownDir is a folder that a token may have, which one in memory may not be.
func ownDir(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// tokens makes tokens by the words of their scopes, each called like them.
func tokens(t *testing.T, folder string, scopes ...string) (list *access.TokenList, secrets map[string]string) {
	t.Helper()
	list, err := access.OpenTokens(t.TempDir(), audittest.Open(t), nil, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	secrets = map[string]string{}
	for _, words := range scopes {
		r := access.TokenRequest{Name: strings.ReplaceAll(words, " ", "-"), Folders: []task.FolderRequest{{Path: folder, Mode: task.ModeReview}}}
		for _, s := range strings.Fields(words) {
			r.Scopes = append(r.Scopes, access.Scope(s))
		}
		made, err := list.CreateToken(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		secrets[words] = made.Secret
	}
	return list, secrets
}

// Each operation, also one that comes later, refuses a program that lacks what it needs, before it
// looks at anything of the request.
func TestEveryOperationAsksForItsScope(t *testing.T) {
	const all = "read tasks tools ai decide" // but manage
	list, secrets := tokens(t, ownDir(t), "read", "read tools ai decide", all, "manage")
	h, err := newAPI(t, apitest.New(apitest.Script{}), api.Options{}).Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}})
	if err != nil {
		t.Fatal(err)
	}
	parameter := lazyregexp.New(`\{[^}]*\}`)
	asked := map[string]int{}
	for _, o := range api.Operations() {
		lacks := map[string]string{"person": "manage", "manage": all, "act": "read", "tasks": "read tools ai decide", "again": "read", "decide": "read", "tools": "read"}[o.Need]
		if lacks == "" || o.Caller != api.ByAnyone {
			continue
		}
		method, path, _ := strings.Cut(o.Route, " ")
		header := []string{"Host", "127.0.0.1:4711", "Authorization", "Bearer " + secrets[lacks], "Content-Type", "application/json"}
		if res := ask(t, h, method, parameter().ReplaceAllString(path, "x"), "no JSON", header...); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s, which needs %s: %d %.200s", o.Route, o.Need, res.StatusCode, res.raw)
		}
		asked[o.Need]++
	}
	for _, need := range []string{"person", "manage", "act", "tasks", "decide"} {
		if asked[need] == 0 {
			t.Errorf("no operation needs %s", need)
		}
	}
}

// What programs with tokens may ask for: with the scopes of each, and of their own tasks, of
// each other's and the person's.
func TestTokenAttacks(t *testing.T) {
	folder := ownDir(t)
	list, secrets := tokens(t, folder, "read", "tasks", "tasks decide", "tools", "ai", "manage")
	here := runtimes.Kind{Standing: runtimes.Standing{Capabilities: vmhost.Capabilities{Name: vmhost.KindHost, Isolation: vmhost.IsolationNone, Domain: vmhost.DomainHost}}}
	f := apitest.New(apitest.Script{Endless: true, Has: []any{[]runtimes.Kind{here}, approval.Rule{Topic: consent.TopicRuntime + vmhost.KindSandbox, Answer: vmhost.AnswerDeny}}, Agent: apitest.Agent{Servers: true}})
	a := newAPI(t, f, api.Options{})
	h, err := a.Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}})
	if err != nil {
		t.Fatal(err)
	}
	secrets["person"] = "person"
	as := func(who, method, path, body string) reply {
		t.Helper()
		header := []string{"Host", "127.0.0.1:4711", "Authorization", "Bearer " + secrets[who]}
		if body != "" {
			header = append(header, "Content-Type", "application/json")
		}
		return ask(t, h, method, path, body, header...)
	}
	start := func(who string) string {
		t.Helper()
		res := as(who, "POST", "/v1/tasks", `{"kind":"exec","argv":["true"],"folders":[],"detached":true}`)
		id, _ := res.body["id"].(string)
		if res.StatusCode != http.StatusCreated || id == "" {
			t.Fatalf("%s: %d %s", who, res.StatusCode, res.raw)
		}
		return id
	}
	persons, own, others := start("person"), start("tasks"), start("tasks decide")
	served := func() string {
		res := as("person", "POST", "/v1/tasks", `{"kind":"exec","argv":["true"],"folders":[],"detached":true,"services":["hub"]}`)
		id, _ := res.body["id"].(string)
		return id
	}()
	beside := func() string { // it is not kept apart
		res := as("person", "POST", "/v1/tasks", `{"kind":"exec","argv":["true"],"folders":[],"detached":true,"runtime":"host"}`)
		id, _ := res.body["id"].(string)
		return id
	}()
	ai := func() string {
		res := as("ai", "POST", "/v1/tasks", `{"kind":"ai","prompt":"x","folders":[],"detached":true}`)
		id, _ := res.body["id"].(string)
		return id
	}()
	assisted := func() string { // it has MCP servers of the person
		res := as("person", "POST", "/v1/tasks", `{"kind":"ai","prompt":"x","folders":[],"detached":true}`)
		id, _ := res.body["id"].(string)
		return id
	}()
	answerYes := `{"answer":"allow"}`
	exec := func(more string) string { return `{"kind":"exec","argv":["true"],"detached":true,` + more + `}` }
	for _, row := range []struct {
		who, method, path, body string
		status                  int
	}{
		// What needs no scope, and what needs all.
		{"read", "GET", "/_manifest", "", 200}, {"tools", "GET", "/v1/tools", "", 200}, {"ai", "GET", "/v1/chores", "", 200},
		{"tasks", "GET", "/v1/keys", "", 403}, {"tasks decide", "GET", "/v1/keys", "", 403}, {"read", "GET", "/v1/keys", "", 403}, {"manage", "GET", "/v1/keys", "", 200},
		{"read", "GET", "/v1/logs", "", 403}, {"read", "GET", "/v1/diagnostics", "", 403}, {"read", "GET", "/v1/saved", "", 403}, {"read", "GET", "/v1/folders", "", 403},
		{"read", "GET", "/v1/network/rules", "", 403}, {"tasks decide", "POST", "/v1/network/rules", `{"host":"x.example","effect":"allow"}`, 403},
		{"tasks", "POST", "/v1/process/end", `{}`, 403}, {"tasks", "POST", "/v1/packs/install", `{"path":"/x"}`, 403}, {"tasks", "POST", "/v1/settings/slow-mode", `{"on":true}`, 403},
		{"tasks", "POST", "/v1/dropped", `{"paths":["/etc"]}`, 403}, {"tasks", "POST", "/v1/native/pick-folder", `{}`, 501},
		{"read", "GET", "/v1/audit", "", 403}, {"manage", "GET", "/v1/audit?event=request", "", 200}, {"manage", "GET", "/v1/audit?event=x", "", 422},
		// Tokens are the person's.
		{"tasks", "GET", "/v1/tokens", "", 403}, {"tasks", "POST", "/v1/tokens", `{"name":"x","scopes":["manage"]}`, 403},
		{"manage", "POST", "/v1/tokens", `{"name":"x","scopes":["manage"]}`, 403}, {"manage", "DELETE", "/v1/tokens/read", "", 403}, {"manage", "GET", "/v1/tokens", "", 200},
		// Where tasks work, and where a provider is; a file that is there, and a program that anybody gets.
		{"manage", "POST", "/v1/settings/runtimes", `{"weaker":{"host":"always"}}`, 403}, {"manage", "POST", "/v1/remotes", `{"name":"x","host":"x.example"}`, 403},
		{"manage", "PUT", "/v1/keys/openai", `{"key":"x","baseUrl":"https://x.example"}`, 403}, {"manage", "PUT", "/v1/keys/openai", `{"key":"x"}`, 403}, {"person", "PUT", "/v1/keys/openai", `{"key":"x"}`, 200}, {"manage", "POST", "/v1/keys/copilot/login", `{"domain":"x.example"}`, 403},
		{"manage", "POST", "/v1/keys/anthropic/login", "", 403}, {"manage", "POST", "/v1/logins/x", `{"code":"theirs"}`, 403}, {"manage", "PUT", "/v1/models/default", `{"model":"openai/x"}`, 403}, {"manage", "DELETE", "/v1/rules/x", "", 403},
		{"manage", "POST", "/v1/saved", `{"name":"mine","chore":"pictures-to-pdf","runtime":"host"}`, 403}, {"manage", "POST", "/v1/saved", `{"name":"mine","task":"` + beside + `"}`, 403}, {"manage", "POST", "/v1/saved", `{"name":"mine","chore":"pictures-to-pdf"}`, 200},
		{"manage", "POST", "/v1/packs/bundle", `{"out":"` + folder + `/x.tar","app":"/etc/passwd"}`, 403}, {"manage", "POST", "/v1/diagnostics", `{"path":"` + folder + `/x.zip","replace":true}`, 403},
		{"manage", "POST", "/v1/tasks/" + beside + "/sessions", `{"argv":["sh"]}`, 403}, {"manage", "POST", "/v1/tasks/" + beside + "/again", `{}`, 403}, {"manage", "POST", "/v1/tasks/" + persons + "/again", `{"runtime":"host"}`, 403},
		{"manage", "GET", "/v1/tasks/" + beside, "", 200},
		// Where searches, updates and the data go, and what protects the keys.
		{"manage", "PUT", "/v1/settings/search", `{"kind":"searxng","url":"https://evil.example"}`, 403}, {"manage", "POST", "/v1/settings/updates", `{"auto":false,"urls":[]}`, 403},
		{"manage", "PUT", "/v1/settings/keys", `{"store":"file","passphrase":"theirs"}`, 403}, {"manage", "POST", "/v1/settings/keys/unlock", `{"passphrase":"x"}`, 403},
		{"manage", "POST", "/v1/settings/keys/passphrase", `{"old":"x","new":"theirs"}`, 403}, {"manage", "POST", "/v1/storage/move", `{"dir":"/mnt/theirs"}`, 403},
		// What an AI was refused, the person alone allows.
		{"manage", "GET", "/v1/policy/proposals", "", 403}, {"manage", "POST", "/v1/policy/proposals/x/accept", "", 403}, {"manage", "DELETE", "/v1/policy/proposals/x", "", 403}, {"manage", "GET", "/v1/policy/exceptions", "", 403}, {"manage", "DELETE", "/v1/policy/exceptions/ab", "", 403}, {"tasks decide", "DELETE", "/v1/policy/exceptions/ab", "", 403}, {"manage", "PUT", "/v1/rules/x/scope", `{"host":"a.example"}`, 403}, {"manage", "PUT", "/v1/rules/x/end", `{}`, 403}, {"tasks decide", "POST", "/v1/policy/proposals/x/accept", "", 403},
		// What protects less: the way back, what keeps a workroom in, and what every task may reach.
		{"manage", "DELETE", "/v1/tasks/" + persons + "/undo", "", 403}, {"manage", "DELETE", "/v1/tasks/" + others + "/undo", "", 403}, {"manage", "DELETE", "/v1/tasks/" + persons, "", 409}, {"manage", "DELETE", "/v1/tasks/" + persons + "?abandonUndo=true", "", 403},
		{"manage", "POST", "/v1/settings/undo", `{"days":1}`, 403}, {"manage", "POST", "/v1/storage/clean", `{"what":["journals"],"loseUndo":true}`, 403}, {"manage", "POST", "/v1/storage/clean", `{"what":["caches"]}`, 200},
		{"manage", "POST", "/v1/settings/slow-mode", `{"on":true}`, 403}, {"manage", "POST", "/v1/packs/rollback", "", 403},
		{"manage", "POST", "/v1/network/rules", `{"host":"evil.example","answer":"allow"}`, 403}, {"manage", "POST", "/v1/network/rules", `{"host":"evil.example","answer":"deny"}`, 200},
		{"manage", "PUT", "/v1/network/presets/npm", `{"on":true}`, 403}, {"manage", "PUT", "/v1/network/presets/npm", `{"on":false}`, 404},
		{"manage", "POST", "/v1/tasks/" + persons + "/questions/q1", `{"answer":"allow","scope":"always"}`, 403}, {"manage", "POST", "/v1/tasks/" + persons + "/questions/q1", `{"answer":"allow","scope":"folder"}`, 403}, {"manage", "POST", "/v1/tasks/" + persons + "/questions/q1", `{"answer":"deny","scope":"always"}`, 409},
		// Services are the person's, and so is a task that has one.
		{"manage", "GET", "/v1/services", "", 403}, {"manage", "PUT", "/v1/services/hub", `{"preset":"github"}`, 403}, {"manage", "PUT", "/v1/services/hub/secret", `{"secret":"0123456789"}`, 403},
		{"manage", "DELETE", "/v1/services/hub", "", 403}, {"manage", "DELETE", "/v1/services/hub/secret", "", 403}, {"manage", "POST", "/v1/services/hub/test", "", 403}, {"manage", "GET", "/v1/service-presets", "", 403},
		{"tasks", "GET", "/v1/services", "", 403}, {"read", "GET", "/v1/services/hub", "", 403},
		{"manage", "POST", "/v1/tasks", exec(`"folders":[],"services":["hub"]`), 403}, {"tasks decide", "POST", "/v1/tasks", exec(`"folders":[],"services":["hub"]`), 403},
		{"manage", "GET", "/v1/tasks/" + served, "", 200}, {"manage", "GET", "/v1/tasks/" + served + "/requests", "", 200}, {"manage", "POST", "/v1/tasks/" + served + "/again", `{}`, 403},
		{"manage", "POST", "/v1/tasks/" + served + "/sessions", `{}`, 403}, {"manage", "POST", "/v1/tasks/" + served + "/messages", `{"text":"x"}`, 403}, {"manage", "GET", "/v1/tasks/" + served + "/attach", "", 403},
		{"manage", "POST", "/v1/tasks/" + served + "/files/read", `{"path":"/folders/x"}`, 403}, {"manage", "POST", "/v1/tasks/" + served + "/folders", `{"path":"/x"}`, 403},
		// So is, while it is at work, an AI task that has MCP servers.
		{"manage", "GET", "/v1/tasks/" + assisted, "", 200}, {"manage", "POST", "/v1/tasks/" + assisted + "/messages", `{"text":"call tracker__delete"}`, 403}, {"manage", "POST", "/v1/tasks/" + assisted + "/sessions", `{}`, 403},
		{"manage", "POST", "/v1/tasks/" + assisted + "/files/read", `{"path":"/folders/x"}`, 403}, {"manage", "POST", "/v1/tasks/" + assisted + "/folders", `{"path":"/x"}`, 403}, {"manage", "POST", "/v1/tasks/" + assisted + "/again", `{}`, 403},
		{"manage", "POST", "/v1/tasks/" + assisted + "/questions/q1", answerYes, 409}, {"person", "POST", "/v1/tasks/" + assisted + "/messages", `{"text":"x"}`, 200},
		// Its own tasks, and others'.
		{"tasks", "GET", "/v1/tasks/" + own, "", 200}, {"tasks", "GET", "/v1/tasks/" + persons, "", 404}, {"tasks", "GET", "/v1/tasks/" + others, "", 404},
		{"tasks", "GET", "/v1/tasks/" + persons + "/changes", "", 404}, {"tasks", "GET", "/v1/tasks/" + persons + "/timeline", "", 404}, {"tasks", "GET", "/v1/tasks/" + persons + "/export", "", 404},
		{"tasks", "GET", "/v1/tasks/" + persons + "/results/0", "", 404}, {"tasks", "POST", "/v1/tasks/" + persons + "/cancel", "", 404}, {"tasks", "POST", "/v1/tasks/" + persons + "/undo", `{}`, 404},
		{"tasks", "POST", "/v1/tasks/" + persons + "/sessions", `{}`, 404}, {"tasks", "POST", "/v1/tasks/" + persons + "/files/read", `{"path":"/folders/x"}`, 404},
		{"tasks", "POST", "/v1/tasks/" + persons + "/again", `{}`, 404}, {"tasks", "GET", "/v1/events?task=" + persons, "", 404}, {"tasks", "GET", "/v1/events", "", 403},
		{"tasks", "GET", "/v1/tasks/" + persons + "/attach", "", 404},
		// read sees all, and does nothing.
		{"read", "GET", "/v1/tasks/" + persons, "", 200}, {"read", "GET", "/v1/tasks/" + persons + "/changes", "", 200}, {"read", "POST", "/v1/tasks/" + persons + "/cancel", "", 403},
		{"read", "POST", "/v1/tasks/" + persons + "/files/read", `{"path":"/x"}`, 403}, {"read", "POST", "/v1/tasks", exec(`"folders":[]`), 403}, {"read", "GET", "/v1/tasks/" + persons + "/attach", "", 403},
		{"manage", "POST", "/v1/tasks/" + others + "/undo", `{}`, 200},
		// Starting.
		{"tools", "POST", "/v1/tasks", exec(`"folders":[]`), 403}, {"ai", "POST", "/v1/tasks", exec(`"folders":[]`), 403},
		{"tasks", "POST", "/v1/tasks", exec(`"folders":[{"path":"/etc","mode":"ro"}]`), 403}, {"tasks", "POST", "/v1/tasks", exec(`"folders":[{"path":"` + folder + `","mode":"rw"}]`), 403},
		{"tasks", "POST", "/v1/tasks", exec(`"folders":[{"path":"` + folder + `/../x","mode":"ro"}]`), 403}, {"tasks", "POST", "/v1/tasks", exec(`"folders":[{"path":"` + folder + `"}]`), 201},
		{"tasks", "POST", "/v1/tasks", `{"kind":"ai","prompt":"x","folders":[]}`, 403}, {"tasks", "POST", "/v1/tasks", exec(`"folders":[],"network":"on"`), 403},
		{"tasks", "POST", "/v1/tasks", exec(`"folders":[],"accept":true`), 403}, {"tasks decide", "POST", "/v1/tasks", exec(`"folders":[],"accept":true`), 201},
		{"tasks", "POST", "/v1/tasks/" + own + "/again", `{"accept":true}`, 403}, {"tasks", "POST", "/v1/tasks/" + own + "/folders", `{"path":"/etc","mode":"ro"}`, 403},
		// Deciding, and what would take the way back from the person.
		{"tasks", "POST", "/v1/tasks/" + own + "/questions/q1", answerYes, 403}, {"tasks decide", "POST", "/v1/tasks/" + own + "/questions/q1", answerYes, 404},
		{"tasks decide", "POST", "/v1/tasks/" + others + "/questions/q1", `{"answer":"allow","scope":"always"}`, 403},

		{"tasks", "POST", "/v1/tasks", exec(`"folders":[],"runtime":"sandbox"`), 403}, {"tasks", "POST", "/v1/tasks/" + own + "/again", `{"runtime":"sandbox"}`, 403},
		{"read", "GET", "/v1/events?task=" + persons + "&wait=true", "", 403}, {"read", "GET", "/v1/events?task=" + persons + "&hold=true", "", 403},
		{"read", "GET", "/v1/tasks/" + persons + "/files/watch?path=/folders", "", 403},
		{"tasks", "POST", "/v1/tasks/" + own + "/accept", "", 403}, {"tasks", "POST", "/v1/tasks/" + own + "/apply", `{}`, 403}, {"tasks", "POST", "/v1/tasks/" + own + "/redo", `{}`, 403},
		{"tasks", "POST", "/v1/tasks/" + own + "/undo", `{"onConflict":"restore"}`, 403}, {"tasks", "POST", "/v1/tasks/" + own + "/undo", `{}`, 200},
		{"tasks decide", "DELETE", "/v1/tasks/" + others + "/undo", "", 403}, {"tasks decide", "DELETE", "/v1/tasks/" + others, "", 403},
		{"ai", "POST", "/v1/tasks/" + ai + "/sessions", `{"argv":["sh"]}`, 403}, {"ai", "POST", "/v1/tasks/" + ai + "/cancel", "", 200},
		// A session in it is the person's: no way to run programs, nor to see what they do.
		{"ai", "POST", "/v1/sessions/x/run", `{"command":"id"}`, 403}, {"ai", "POST", "/v1/sessions/x/input", `{"client":"0123456789abcdef","data":"aWQK","take":true}`, 403}, {"ai", "POST", "/v1/sessions/x/signal", `{"signal":"KILL"}`, 403},
		{"ai", "GET", "/v1/sessions/x/output?client=0123456789abcdef", "", 403}, {"ai", "GET", "/v1/sessions/x/attach?client=0123456789abcdef", "", 403}, {"tools", "POST", "/v1/sessions/x/run", `{"command":"id"}`, 403}, {"tasks", "POST", "/v1/sessions/x/run", `{"command":"id"}`, 200},
		// Operations.
		{"tasks", "POST", "/v1/tools/image.info", `{"in":["` + folder + `/a.png"]}`, 403}, {"tools", "POST", "/v1/tools/image.info", `{"in":["/etc/passwd"]}`, 403},
		{"tools", "POST", "/v1/tools/image.info", `{"in":["` + folder + `/../a.png"]}`, 403}, {"tools", "POST", "/v1/tools/image.info", `{"in":["` + folder + `/a.png"],"runtime":"host"}`, 403},
		// The path in other words.
		{"tasks", "GET", "/v1/../v1/keys", "", 404}, {"tasks", "GET", "//v1/keys", "", 404}, {"tasks", "GET", "/v1/keys/", "", 404},
	} {
		if res := as(row.who, row.method, row.path, row.body); res.StatusCode != row.status {
			t.Errorf("%s: %s %s %s: %d %.300s, want %d", row.who, row.method, strings.ReplaceAll(row.path, persons, "PERSONS"), row.body, res.StatusCode, res.raw, row.status)
		}
	}
	for who, want := range map[string][]string{"tasks": {"tasks"}, "tools": nil, "read": {"", "tasks", "tasks-decide"}, "person": {"", "tasks", "tasks-decide"}} {
		got := string(as(who, "GET", "/v1/tasks", "").raw)
		for _, name := range []string{"", "tasks", "tasks-decide"} {
			is := strings.Contains(got, `"client":"`+name+"@")
			if name == "" {
				is = strings.Contains(got, persons)
			}
			if has := strings.Contains(" "+strings.Join(want, " ")+" ", " "+name+" ") && len(want) > 0 || name == "" && len(want) == 3; is != has {
				t.Errorf("%s sees tasks of %q: %v", who, name, is)
			}
		}
	}
	for _, r := range f.Started() {
		if r.Client != "" && !strings.HasPrefix(r.Client, "manage@") && !r.Agent {
			t.Errorf("%+v", r)
		}
	}
}

// A program with decide answers questions of its own tasks, but gives none a folder, nor the
// place on the disk; it sees no others.
func TestTokenAnswers(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "tasks decide")
	for kind, want := range map[vmhost.QuestionKind]int{vmhost.AskFolder: 403, vmhost.AskUndoSpace: 403, vmhost.AskCommand: 200} {
		f := apitest.New(apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{{ID: "q", Kind: kind, Input: kind == vmhost.AskFolder}}}})
		a := newAPI(t, f, api.Options{})
		h, err := a.Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}})
		if err != nil {
			t.Fatal(err)
		}
		as := func(secret, method, path, body string) reply {
			t.Helper()
			return ask(t, h, method, path, body, "Host", "127.0.0.1:4711", "Authorization", "Bearer "+secret, "Content-Type", "application/json")
		}
		var ids []string
		for _, secret := range []string{"person", secrets["tasks decide"]} {
			res := as(secret, "POST", "/v1/tasks", `{"kind":"exec","argv":["true"],"folders":[],"detached":true}`)
			ids = append(ids, fmt.Sprint(res.body["id"]))
		}
		for {
			if all, err := f.Questions(t.Context(), ""); err != nil || len(all) == 2 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if got := as(secrets["tasks decide"], "GET", "/v1/questions", ""); strings.Contains(string(got.raw), ids[0]) || !strings.Contains(string(got.raw), ids[1]) {
			t.Errorf("%s: it sees %s", kind, got.raw)
		}
		for _, scope := range []string{"folder", "always"} { // which would hold in the person's tasks, too
			if res := as(secrets["tasks decide"], "POST", "/v1/tasks/"+ids[1]+"/questions/q", `{"answer":"deny","scope":"`+scope+`"}`); res.StatusCode != 403 {
				t.Errorf("%s: a no for %s is %d %s", kind, scope, res.StatusCode, res.raw)
			}
		}
		for i, status := range []int{404, want} {
			if res := as(secrets["tasks decide"], "POST", "/v1/tasks/"+ids[i]+"/questions/q", `{"answer":"allow","text":"/etc"}`); res.StatusCode != status {
				t.Errorf("%s of task %d: %d %s, want %d", kind, i, res.StatusCode, res.raw, status)
			}
		}
		if res := as(secrets["tasks decide"], "POST", "/v1/tasks/"+ids[1]+"/questions/q", `{"answer":"deny"}`); want == 403 && res.StatusCode != 200 {
			t.Errorf("%s: a no is %d %s", kind, res.StatusCode, res.raw)
		}
	}
}

// What was denied for longer than a task, the person alone allows again; a program may take back
// what was allowed.
func TestTokenLiftsNoDenial(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "manage")
	for status, rules := range map[int][]approval.Rule{
		403: {{Topic: "network/evil.example", Answer: vmhost.AnswerDeny}, {Topic: "command", Folder: "/x", Answer: vmhost.AnswerDeny}, {Topic: consent.TopicRuntime + vmhost.KindSandbox, Answer: vmhost.AnswerAllow}},
		204: {{Topic: "network/good.example", Answer: vmhost.AnswerAllow}, {Topic: "network/evil.example", Task: "t", Answer: vmhost.AnswerDeny}},
	} {
		for _, rule := range rules {
			rule.ID = "r"
			f := apitest.New(apitest.Script{Has: []any{rule, []approval.Rule{rule}}})
			h, err := newAPI(t, f, api.Options{}).Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}})
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range []struct {
				secret string
				status int
			}{{secrets["manage"], status}, {"person", map[int]int{403: 204, 204: 404}[status]}} { // it is gone by then
				if res := ask(t, h, "DELETE", "/v1/rules/r", "", "Host", "127.0.0.1:4711", "Authorization", "Bearer "+one.secret); res.StatusCode != one.status {
					t.Errorf("%+v: %d %s, want %d", rule, res.StatusCode, res.raw, one.status)
				}
			}
		}
	}
}

// A program deletes no task with which the person's way back would go: its changes, or what waits.
func TestTokenDeletesNoWayBack(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "manage")
	changed, staged := []journal.Change{{ID: "o1"}}, []journal.Change{{ID: "f1.o1", Staged: true}}
	for name, row := range map[string]struct {
		changes   []journal.Change
		forgotten bool
		status    int // for the program
	}{
		"nothing changed": {nil, false, 204}, "changes": {changed, false, 403}, "changes that cannot be undone any more": {changed, true, 204},
		"changes that wait": {staged, false, 403}, "changes that wait, and nothing to undo": {append(staged, changed...), true, 403},
	} {
		f := apitest.New(apitest.Script{Changed: apitest.Changed{List: row.changes}, Has: []any{history.UndoSpace{Forgotten: row.forgotten}}})
		h, err := newAPI(t, f, api.Options{}).Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}})
		if err != nil {
			t.Fatal(err)
		}
		for secret, status := range map[string]int{secrets["manage"]: row.status, "person": 204} {
			one, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
			if err == nil {
				_, err = f.CancelTask(t.Context(), one.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
			if res := ask(t, h, "DELETE", "/v1/tasks/"+one.ID, "", "Host", "127.0.0.1:4711", "Authorization", "Bearer "+secret); res.StatusCode != status {
				t.Errorf("%s: %d %s, want %d", name, res.StatusCode, res.raw, status)
			}
		}
	}
}

// Where tasks may work from now on is the person's to choose, also where a question is about it, and
// so is a weaker place for their own.
func TestTokenChoosesNoPlace(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "manage")
	secrets["person"] = "person"
	rule := func(action policy.Action) vmhost.Question {
		return vmhost.Question{ID: "q", Kind: vmhost.AskRule, Text: vmhost.Text{Code: "rule-asks", Params: map[string]any{"action": string(action)}}}
	}
	questions := map[string]vmhost.Question{"": {ID: "q", Kind: vmhost.AskRuntime}, "rule": rule(policy.StartRuntime), "other": rule(policy.Run)}
	for row, status := range map[[3]string]int{
		{"manage", `{"answer":"allow","scope":"always"}`}: 403, {"manage", `{"answer":"deny","scope":"always"}`}: 403,
		{"manage", `{"answer":"allow"}`}: 200, {"manage", `{"answer":"deny","scope":"once"}`}: 200,
		{"person", `{"answer":"allow"}`}: 403, {"person", `{"answer":"deny"}`}: 200,
		{"person", `{"answer":"allow"}`, "rule"}: 403, {"person", `{"answer":"deny"}`, "rule"}: 200,
		{"manage", `{"answer":"allow"}`, "rule"}: 200, {"person", `{"answer":"allow"}`, "other"}: 200,
	} {
		starts, body := row[0], row[1]
		f := apitest.New(apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{questions[row[2]]}}})
		h, err := newAPI(t, f, api.Options{}).Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}})
		if err != nil {
			t.Fatal(err)
		}
		as := func(who, path, body string) reply {
			t.Helper()
			return ask(t, h, "POST", path, body, "Host", "127.0.0.1:4711", "Authorization", "Bearer "+secrets[who], "Content-Type", "application/json")
		}
		id := fmt.Sprint(as(starts, "/v1/tasks", `{"kind":"exec","argv":["true"],"folders":[],"detached":true}`).body["id"])
		for all, err := f.Questions(t.Context(), ""); err != nil || len(all) == 0; all, err = f.Questions(t.Context(), "") {
			time.Sleep(time.Millisecond)
		}
		if res := as("manage", "/v1/tasks/"+id+"/questions/q", body); res.StatusCode != status {
			t.Errorf("%s, of a task of %s, asked by %q: %d %s", body, starts, row[2], res.StatusCode, res.raw)
		}
	}
}

// What the person said in a task goes to no other provider by a program with a token.
func TestTokenChoosesNoProvider(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "manage")
	secrets["person"] = "person"
	for row, status := range map[[3]string]int{
		{"person", "manage", `{"model":"b/y"}`}: 403, {"person", "manage", `{"model":"a/y"}`}: 200, {"person", "manage", `{"thinking":"low"}`}: 200,
		{"person", "person", `{"model":"b/y"}`}: 200, {"manage", "manage", `{"model":"b/y"}`}: 200,
	} {
		h, err := newAPI(t, apitest.New(apitest.Script{}), api.Options{}).Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}})
		if err != nil {
			t.Fatal(err)
		}
		as := func(who, method, path, body string) reply {
			t.Helper()
			return ask(t, h, method, path, body, "Host", "127.0.0.1:4711", "Authorization", "Bearer "+secrets[who], "Content-Type", "application/json")
		}
		id := fmt.Sprint(as(row[0], "POST", "/v1/tasks", `{"kind":"ai","prompt":"x","model":"a/x","folders":[],"detached":true}`).body["id"])
		if res := as(row[1], "PUT", "/v1/tasks/"+id+"/model", row[2]); res.StatusCode != status {
			t.Errorf("%s: %d %s", row, res.StatusCode, res.raw)
		}
	}
}

// heard has each stream of events end at once, and keeps what was asked for.
type heard struct {
	*apitest.Fake
	filter *task.EventFilter
}

func (h heard) Subscribe(f task.EventFilter) (<-chan task.Event, func()) {
	*h.filter = f
	over := make(chan task.Event)
	close(over)
	return over, func() {}
}

// Settings, updates and packs are nothing for a program without manage, also as events.
func TestTokenHearsNoSettings(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "read", "manage")
	var asked task.EventFilter
	h, err := newAPI(t, heard{apitest.New(apitest.Script{}), &asked}, api.Options{}).Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}})
	if err != nil {
		t.Fatal(err)
	}
	secrets["person"] = "person"
	for who, all := range map[string]bool{"read": false, "manage": true, "person": true} {
		for _, path := range []string{"/v1/events", "/v1/events?kind=update,settings,pack"} {
			ask(t, h, "GET", path, "", "Host", "127.0.0.1:4711", "Authorization", "Bearer "+secrets[who])
			for _, kind := range []task.EventKind{task.EventUpdate, task.EventSettings, task.EventPack} {
				if got := asked.Wants(task.Event{Kind: kind}); got != all {
					t.Errorf("%s %s: %s: %v", who, path, kind, got)
				}
			}
			if !asked.Wants(task.Event{Kind: task.EventReset}) || path == "/v1/events" && (!asked.Wants(task.Event{Kind: task.EventState, Task: "x"}) || !asked.Wants(task.Event{Kind: task.EventStatus})) {
				t.Errorf("%s %s: it misses what it may know", who, path)
			}
		}
	}
}

// lateQuestions are no questions yet when somebody asks for them.
type lateQuestions struct{ *apitest.Fake }

func (lateQuestions) Questions(context.Context, string) ([]vmhost.Question, error) { return nil, nil }

// An answer is held against the question that it decides, also where that opened after the
// answer came.
func TestTokenAnswersLateQuestion(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "tasks decide")
	f := apitest.New(apitest.Script{Consent: apitest.Consent{Questions: []vmhost.Question{{ID: "q", Kind: vmhost.AskFolder, Input: true}}}})
	h, err := newAPI(t, lateQuestions{f}, api.Options{}).Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}})
	if err != nil {
		t.Fatal(err)
	}
	as := func(path, body string) reply {
		t.Helper()
		return ask(t, h, "POST", path, body, "Host", "127.0.0.1:4711", "Authorization", "Bearer "+secrets["tasks decide"], "Content-Type", "application/json")
	}
	id := fmt.Sprint(as("/v1/tasks", `{"kind":"exec","argv":["true"],"folders":[],"detached":true}`).body["id"])
	for all, err := f.Questions(t.Context(), ""); err != nil || len(all) == 0; all, err = f.Questions(t.Context(), "") {
		time.Sleep(time.Millisecond)
	}
	if res := as("/v1/tasks/"+id+"/questions/q", `{"answer":"allow","text":"/etc"}`); res.StatusCode != 403 || len(f.Answers()) != 0 {
		t.Errorf("%d %s", res.StatusCode, res.raw)
	}
}

// Of a task whose record cannot be read, nothing is heard: it may be another's.
func TestStreamOfWhatCannotBeRead(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "tasks")
	f := apitest.New(apitest.Script{})
	persons, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	f.Refuse = map[string]error{"Task": errors.New("the disk cannot be read")}
	h, err := newAPI(t, f, api.Options{}).Guarded(api.Guard{Token: "person", Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:1/v1/events?task="+persons.ID, http.NoBody)
	r.Header.Set("Authorization", "Bearer "+secrets["tasks"])
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusInternalServerError || f.Subscribers() != 0 {
		t.Errorf("%d %.200s", w.Code, w.Body)
	}
}

// A stream of a program ends when its token is revoked.
func TestRevokedStream(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "read")
	a := newAPI(t, apitest.New(apitest.Script{}), api.Options{})
	ln, err := api.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h, err := a.Guarded(api.Guard{Token: "person", Clients: list, Addr: ln.Addr().(*net.TCPAddr)})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, ln, h)
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+ln.Addr().String()+"/v1/events", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+secrets["read"])
	res, err := http.DefaultClient.Do(r)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(err, res.StatusCode)
	}
	defer res.Body.Close()
	if err := list.RevokeToken(t.Context(), "read"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	for err == nil {
		_, err = res.Body.Read(buf) // until it ends; else the test does
	}
}

// ownToken has tokens of a list.
type ownToken struct {
	*apitest.Fake
	list *access.TokenList
}

func (o ownToken) OwnToken(ctx context.Context) (access.Token, error) { return o.list.OwnToken(ctx) }

// A request on the socket that comes with a token is of the program that has it, and not of the
// person.
func TestTokenOnTheSocket(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "read")
	h := newAPI(t, ownToken{apitest.New(apitest.Script{}), list}, api.Options{Clients: list}).Handler()
	for secret, want := range map[string]struct{ token, settings int }{"": {404, 200}, secrets["read"]: {200, 403}, "wrong": {401, 401}} {
		header := []string{}
		if secret != "" {
			header = []string{"Authorization", "Bearer " + secret}
		}
		own := ask(t, h, http.MethodGet, "/v1/token", "", header...)
		settings := ask(t, h, http.MethodGet, "/v1/tokens", "", header...)
		if own.StatusCode != want.token || settings.StatusCode != want.settings {
			t.Errorf("%q: %d %s, %d", secret, own.StatusCode, own.raw, settings.StatusCode)
		}
		if want.token == 200 && (!strings.Contains(string(own.raw), `"scopes":["read"]`) || strings.Contains(string(own.raw), "secret")) {
			t.Errorf("it is %s", own.raw)
		}
	}
}

// serve serves until the test ends.
func serve(t *testing.T, ln net.Listener, h http.Handler) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- api.Serve(ctx, ln, h) }()
	t.Cleanup(func() {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
}

// certificate makes one for a name, in PEM files.
func certificate(t *testing.T, name string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: mathbig.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	made, _ := x509.ParseCertificate(der)
	pool.AddCert(made)
	return cert, key, pool
}

// Over a network it is TLS and a token of each program, and nothing else.
func TestNetwork(t *testing.T) {
	list, secrets := tokens(t, ownDir(t), "read")
	a := newAPI(t, apitest.New(apitest.Script{}), api.Options{})
	cert, key, pool := certificate(t, "piwork.test")
	ln, names, err := api.ListenTLS("127.0.0.1:0", cert, key)
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().(*net.TCPAddr)
	for name, g := range map[string]api.Guard{
		"the person's token": {Token: "x", Clients: list, Names: names, Addr: addr}, "pages": {Clients: list, Names: names, Addr: addr, Pages: pages}, "no tokens": {Names: names, Addr: addr},
		"no TLS": {Clients: list, Addr: &net.TCPAddr{IP: net.IPv4zero, Port: 1}},
	} {
		if _, err := a.Guarded(g); err == nil {
			t.Errorf("with %s: no error", name)
		}
	}
	h, err := a.Guarded(api.Guard{Clients: list, Names: names, Addr: addr})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, ln, h)
	to := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", ln.Addr().String())
		},
	}
	defer to.CloseIdleConnections()
	for _, row := range []struct {
		name, host, secret, origin string
		status                     int
	}{
		{"a token", "", secrets["read"], "", 200}, {"none", "", "", "", 401}, {"another", "", "piwork_x", "", 401},
		{"another name", "evil.example", secrets["read"], "", 403}, {"its number", ln.Addr().String(), secrets["read"], "", 403}, {"another port", "piwork.test:443", secrets["read"], "", 200},
		{"a page of its own", "", secrets["read"], "https://piwork.test:8443", 200}, {"a page without TLS", "", secrets["read"], "http://piwork.test:8443", 403}, {"another page", "", secrets["read"], "https://evil.example", 403},
	} {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://piwork.test:8443/v1/tasks", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+row.secret)
		if row.host != "" {
			r.Host = row.host
		}
		if row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		res, err := (&http.Client{Transport: to}).Do(r)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		_ = res.Body.Close()
		if res.StatusCode != row.status {
			t.Errorf("%s: %d, want %d", row.name, res.StatusCode, row.status)
		}
	}
	plain, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	fmt.Fprintf(plain, "GET /v1/tasks HTTP/1.1\r\nHost: piwork.test\r\nAuthorization: Bearer %s\r\n\r\n", secrets["read"])
	buf := make([]byte, 512)
	if n, _ := plain.Read(buf); strings.Contains(string(buf[:n]), "200") {
		t.Errorf("without TLS: %s", buf[:n])
	}
	if _, _, err := api.ListenTLS("127.0.0.1:0", key, cert); err == nil {
		t.Error("a key for a certificate")
	}
}
