package main

import (
	"bytes"
	"encoding/json"
	"strings"

	"piwork/app/api/apifuzz"
)

// leftOut are operations that a campaign does not ask for, and why.
var leftOut = map[string]string{
	"endProcess":       "it would end what is fuzzed",
	"moveStorage":      "the process opens its data anew elsewhere, and what was asked before is over",
	"mend":             "it asks the system for an administrator",
	"setAtLogin":       "it tells the system's own services, which are outside of the box",
	"checkStatus":      "it boots a virtual machine",
	"getStatus":        "likewise, where there is no report yet",
	"getHealthPage":    "likewise",
	"getDiagnostics":   "likewise",
	"writeDiagnostics": "likewise",
	"prepareMachines":  "likewise",
	"listRuntimes":     "likewise, where that is not proven yet",
	"explainRuntime":   "likewise",
	"setSlowMode":      "likewise",
	"testRuntime":      "likewise",
	"actWizard":        "likewise",
	"setRuntimes":      "tasks would work in a virtual machine, or on this computer itself",
	"removePack":       "there is one, which tasks need",
	"repairPack":       "it takes minutes",
	"rollbackPack":     "likewise",
	"bundlePack":       "it writes a gigabyte",
	"startUpdate":      "there is no network",
	"testService":      "likewise",
	"setMachines":      "tasks would wait for each other",
}

// often are operations that others depend on, and how often more they are asked for.
var often = map[string]int{"startTask": 25, "createSession": 10, "runInSession": 5, "writeSession": 3, "readSession": 3, "listSessions": 2, "listChanges": 4, "attachTask": 2, "attachSession": 2, "streamEvents": 3, "undoTask": 3}

// tame has tasks work in the sandbox, which is what they do where nothing is said.
func tame(_ string, r *apifuzz.Request) {
	var v map[string]any
	if !strings.Contains(r.Target, "/tasks") && !strings.Contains(r.Target, "/tools") && !strings.Contains(r.Target, "/sessions") || json.Unmarshal(r.Body, &v) != nil {
		return
	}
	changed := false
	for _, name := range []string{"runtime", "requiresRuntime", "cache", "accel"} {
		if _, has := v[name]; has {
			delete(v, name)
			changed = true
		}
	}
	if _, task := v["kind"]; task {
		v["runtime"], changed = "sandbox", true
	}
	if changed {
		var b bytes.Buffer
		if json.NewEncoder(&b).Encode(v) == nil {
			r.Body = b.Bytes()
		}
	}
}

// examples are requests that start something.
func (b *box) examples() map[string][]any {
	list := func(all ...string) (out []any) {
		for _, text := range all {
			var v any
			if err := json.Unmarshal([]byte(strings.NewReplacer("FOLDER", b.at("folder"), "TIDIED", b.at("tidied")).Replace(text)), &v); err != nil {
				panic(err) //nolint:forbidigo // a table of this file
			}
			out = append(out, v)
		}
		return out
	}
	tidied := `"folders":[{"path":"TIDIED","mode":"rw"}]`
	rw, ro, review := `"folders":[{"path":"FOLDER","mode":"rw"}]`, `"folders":[{"path":"FOLDER","mode":"ro"}]`, `"folders":[{"path":"FOLDER","mode":"review"}]`
	return map[string][]any{
		"startTask": list(
			`{"kind":"exec","argv":["sh","-c","echo hi > x$$; sleep 1; cat *"],"detached":true,`+rw+`}`,
			`{"kind":"exec","argv":["sh","-c","rm -f x*; echo gone"],`+rw+`}`,
			`{"kind":"exec","argv":["sh","-c","echo new > r$$; echo more >> a.txt"],"detached":true,`+review+`}`,
			`{"kind":"exec","argv":["sleep","4"],"detached":true,`+ro+`}`,
			`{"kind":"exec","argv":["cat"],"interactive":true,"detached":true,"folders":[]}`,
			`{"kind":"exec","argv":["sh"],"terminal":{"rows":24,"columns":80},"interactive":true,`+rw+`}`,
			`{"kind":"exec","open":true,"detached":true,`+rw+`}`, `{"kind":"exec","open":true,"detached":true,`+rw+`}`,
			`{"kind":"exec","argv":["sh","-c","head -c 3000000 /dev/urandom | base64"],"detached":true,"folders":[]}`,
			`{"kind":"exec","argv":["no-such-program"],"folders":[]}`,
			`{"kind":"ai","prompt":"x",`+review+`}`,
			`{"kind":"chore","chore":"cleanup-downloads","planOnly":true,`+ro+`}`,
			`{"kind":"chore","chore":"find-duplicates","detached":true,`+tidied+`}`, `{"kind":"chore","chore":"cleanup-downloads","accept":true,"detached":true,`+tidied+`}`,
		),
		"createSession":  list(`{}`, `{"argv":["cat"]}`, `{"argv":["sh"],"terminal":{"rows":20,"columns":70}}`, `{"env":{"A":"b"},"secrets":{"S":"x"}}`),
		"runInSession":   list(`{"command":"echo hi; cd /folders; ls"}`, `{"command":"sleep 2"}`, `{"command":"false"}`, `{"command":"exit 3"}`, `{"command":"head -c 2000000 /dev/zero | base64"}`),
		"writeSession":   list(`{"client":"c","take":true,"data":"ZWNobyBoaQo="}`, `{"client":"d","data":"ZXhpdAo="}`),
		"resizeSession":  list(`{"rows":30,"columns":90}`),
		"signalSession":  list(`{"signal":"INT"}`, `{"signal":"KILL"}`),
		"previewChanges": list(`{"how":"undo"}`, `{"how":"apply"}`),
		"undoTask":       list(`{}`), "redoTask": list(`{}`), "applyTask": list(`{}`, `{"discard":true}`),
		"writeFile": list(`{"path":"/folders/folder/w.txt","data":"aGk="}`, `{"path":"/work/w.txt","data":"aGk="}`), "readFile": list(`{"path":"/folders/folder/a.txt"}`),
		"listFiles": list(`{"path":"/folders/folder"}`, `{"path":"/work"}`), "statFile": list(`{"path":"/folders/folder/a.txt"}`),
		"createToken": list(`{"name":"a","scopes":["tasks"],"folders":[{"path":"FOLDER","mode":"rw"}]}`, `{"name":"b","scopes":["read"]}`),
		"addFolder":   list(`{"path":"FOLDER/sub","mode":"rw"}`), "say": list(`{"text":"x"}`),
		"saveChore":      list(`{"name":"n","chore":"cleanup-downloads","folders":[{"path":"FOLDER","mode":"rw"}],"params":{}}`),
		"addNetworkRule": list(`{"host":"x.example","answer":"allow"}`, `{"host":"*.x.example","answer":"deny"}`),
		"addRemote":      list(`{"name":"r","address":"user@127.0.0.1"}`),
		"setKey":         list(`{"key":"sk-x"}`), "setKeyStore": list(`{"store":"file","passphrase":"long enough to be one"}`),
		"unlockKeys": list(`{"passphrase":"long enough to be one"}`), "changePassphrase": list(`{"passphrase":"long enough to be one","new":"long enough to be one"}`),
		"setWebSearch": list(`{"kind":"searxng","url":"https://x.example/"}`, `{"kind":"none"}`), "setModel": list(`{"model":"anthropic/x"}`),
		"setUndoKeeping": list(`{"days":30,"spaceMb":100}`), "setNetworkPreset": list(`{"on":true}`, `{"on":false}`), "cleanStorage": list(`{"what":["downloads"]}`),
		"fetch": list(`{"url":"https://x.example/"}`), "verifyPack": list(`{"file":"FOLDER/a.txt"}`), "answerQuestion": list(`{"answer":"allow"}`, `{"answer":"deny"}`),
		"runFileHash": list(`{"in":["FOLDER/a.txt"]}`), "runTableRead": list(`{"in":["FOLDER/b.csv"]}`), "runImageInfo": list(`{"in":["FOLDER/e.jpg"]}`),
	}
}
