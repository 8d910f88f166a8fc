package kubernetes

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"piwork/vmhost"
	"piwork/vmhost/runtimetest/attacks"
	"piwork/vmhost/wire"
)

// A cluster that is not what it says, or means harm, costs a place and nothing else: what it
// says is bounded in bytes and time, and what is not ours stays.
func TestHostileCluster(t *testing.T) {
	endless := func(w http.ResponseWriter, start string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, start)
		block := bytes.Repeat([]byte(" "), 1<<20)
		for range 100 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
	on := func(method, part string, do http.HandlerFunc) func(*fake) {
		return func(f *fake) {
			f.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != method || !strings.Contains(r.URL.Path, part) {
					return false
				}
				do(w, r)
				return true
			}
		}
	}
	says := func(messages ...[]byte) func(*fake) { // to whoever starts a program
		return on(http.MethodGet, "/exec", func(w http.ResponseWriter, r *http.Request) {
			ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: protocols, CompressionMode: websocket.CompressionDisabled})
			if err != nil {
				return
			}
			defer ws.CloseNow()
			for _, m := range messages {
				if ws.Write(r.Context(), websocket.MessageBinary, m) != nil {
					return
				}
			}
		})
	}
	changed := func(change func(o object)) func(*fake) {
		return func(f *fake) {
			f.change = func(kind string, o object) {
				if kind == "pods" {
					change(o)
				}
			}
		}
	}
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	for name, tt := range map[string]struct {
		harm   func(*fake)
		reason vmhost.Reason
	}{
		"an endless answer":  {on(http.MethodGet, "/apis/", func(w http.ResponseWriter, _ *http.Request) { endless(w, "{") }), vmhost.ReasonClusterUnfit},
		"an endless list":    {on(http.MethodGet, "/tasks/pods", func(w http.ResponseWriter, _ *http.Request) { endless(w, `{"kind":"PodList","items":[`) }), vmhost.ReasonClusterUnfit},
		"an endless refusal": {on(http.MethodPost, "/tasks/pods", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusConflict); endless(w, "") }), vmhost.ReasonClusterUnfit},
		"no answer": {on(http.MethodPost, "/tasks/pods", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}), vmhost.ReasonClusterUnreachable},
		"another computer": {on(http.MethodGet, "/apis/", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}), vmhost.ReasonClusterUnfit},
		"programs elsewhere": {on(http.MethodGet, "/exec", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}), vmhost.ReasonClusterUnfit},
		"no JSON": {on(http.MethodGet, "/apis/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }), vmhost.ReasonClusterUnfit},
		"another Pod is made": {on(http.MethodPost, "/tasks/pods", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusCreated, madeBy(func(object, object) {}).Object)
		}), vmhost.ReasonClusterUnfit},
		"another Pod runs": {on(http.MethodGet, "/tasks/pods/", func(w http.ResponseWriter, _ *http.Request) {
			o := madeBy(func(object, object) {}).Object
			o["status"] = object{"phase": "Running", "containerStatuses": []any{object{"name": containerName, "state": object{"running": object{}}}}}
			answer(w, http.StatusOK, o)
		}), vmhost.ReasonClusterUnfit},
		"the Pod may more": {changed(func(o object) { o["spec"].(object)["hostNetwork"] = true }), vmhost.ReasonClusterUnfit},
		"nobody may":       {on(http.MethodPost, "/tasks/pods", func(w http.ResponseWriter, _ *http.Request) { status(w, http.StatusForbidden, "Forbidden") }), vmhost.ReasonClusterLogin},
		"no image": {on(http.MethodGet, "/tasks/pods/", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, object{"kind": "Pod", "apiVersion": "v1", "metadata": object{"name": "x"}, "status": object{"phase": "Pending", "containerStatuses": []any{object{"name": containerName, "state": object{"waiting": object{"reason": "ImagePullBackOff", "message": strings.Repeat("x", 1<<20)}}}}}})
		}), vmhost.ReasonClusterUnfit},
		"no WebSocket":         {on(http.MethodGet, "/exec", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }), vmhost.ReasonClusterUnfit},
		"an unknown channel":   {says([]byte{9, 1}), vmhost.ReasonClusterLost},
		"empty messages":       {says([]byte{}, []byte{}), vmhost.ReasonClusterLost},
		"a huge message":       {says(append([]byte{channelOut}, make([]byte, maxMessage+1)...)), vmhost.ReasonClusterLost},
		"an endless end":       {says(append([]byte{channelStatus}, make([]byte, maxStatus+1)...)), vmhost.ReasonClusterLost},
		"an end that is none":  {says([]byte("\x03not JSON")), vmhost.ReasonClusterLost},
		"an agent that is not": {says([]byte("\x01no agent"), []byte(`{`), []byte("\x03"+`{"status":"Success"}`)), vmhost.ReasonClusterLost},
		"it says that it came": {says([]byte("\x01all is well"), []byte("\x03"+`{"status":"Success"}`)), vmhost.ReasonClusterUnfit},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			c := config(t, f.cluster())
			if c.Cluster.answer = 20 * time.Second; name == "no answer" {
				c.Cluster.answer = time.Second
			}
			tt.harm(f)
			var failed *vmhost.FailedError
			err := open(t, c).Connect(soon(t))
			if !errors.As(err, &failed) || failed.Reason != tt.reason || len(err.Error()) > 8<<10 || len(failed.Detail) > 16<<10 {
				t.Errorf("%.2000v", err)
			}
			f.mu.Lock()
			f.before = nil
			f.mu.Unlock()
			if err := c.Cluster.Clean(soon(t)); err != nil {
				t.Error(err)
			}
		})
	}
	if elsewhere.Load() > 0 {
		t.Error("it followed to another computer")
	}
}

// notClaimed is what a Pod does not keep programs from.
var notClaimed = map[string]string{
	"kill": "programs of a Pod can end its agent, which ends the place (TestKilledAgent)",
	"bomb": "how many processes a Pod has is bounded by its node (podPidsLimit)",
	"disk": "a Pod that takes more than its volumes may is evicted",
}

// Programs of a Pod reach nothing of the node, which is this computer.
func TestAttacksFromInside(t *testing.T) {
	f := newFake(t)
	w := attacks.NewWorld(t, "")
	t.Setenv("SSH_AUTH_SOCK", w.Agent)
	not := maps.Clone(notClaimed)
	not["keep files beside the devices"] = "the node of the fake has the /dev of bubblewrap, which is whoever's who made it"
	attacks.Run(t, attacks.Target{Runtime: connected(t, config(t, f.cluster())), World: w, Agent: agentPath, NotClaimed: not})
}

// A program that ends all that it can ends nothing where the node has Landlock's scopes, and else
// its own place, which says so; never another one.
func TestKilledAgent(t *testing.T) {
	f := newFake(t)
	w := attacks.NewWorld(t, "")
	other, r := connected(t, config(t, f.cluster())), connected(t, config(t, f.cluster()))
	killAll(t, r)
	if got := run(t, other, "echo here"); string(got.Stdout) != "here\n" {
		t.Errorf("%+v", got)
	}
	if err := w.Unharmed(); err != nil {
		t.Error(err)
	}
}

// killAll has programs of a place try to end all of it.
func killAll(t *testing.T, r vmhost.Runtime) {
	t.Helper()
	for _, script := range []string{"kill -9 1; kill -15 1", "attacker kill 1", "kill -9 -1", "echo here"} {
		_, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", script}}})
		if err == nil {
			continue
		}
		if failed, is := errors.AsType[*vmhost.FailedError](err); !is || failed.Reason != vmhost.ReasonClusterLost && failed.Reason != vmhost.ReasonExited {
			t.Errorf("%s: %v", script, err)
		}
		t.Logf("after %s: %v", script, err)
		return
	}
}

// The agent says whatever a cluster likes: that ends the place.
func TestHostileAgent(t *testing.T) {
	f := newFake(t)
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, "/exec") || !strings.Contains(r.URL.RawQuery, "serve") {
			return false
		}
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: protocols, CompressionMode: websocket.CompressionDisabled})
		if err != nil {
			return true
		}
		defer ws.CloseNow()
		b := append([]byte{channelOut}, bytes.Repeat([]byte("x"), 32<<10)...)
		for range 1000 {
			if ws.Write(context.Background(), websocket.MessageBinary, b) != nil {
				break
			}
		}
		return true
	}
	var failed *vmhost.FailedError
	if err := open(t, config(t, f.cluster())).Connect(soon(t)); !errors.As(err, &failed) || failed.Reason != vmhost.ReasonProtocol {
		t.Errorf("%v", err)
	}
}

// What has our label and is not ours stays: in another namespace, of another name, or of
// another owner, whatever a list says.
func TestForged(t *testing.T) {
	f := newFake(t)
	c := f.cluster()
	labels := object{labelOwner: c.Owner, labelManager: manager}
	forged := []any{
		object{"metadata": object{"name": "of-others", "namespace": "tasks", "labels": labels}},
		object{"metadata": object{"name": "piwork-x", "namespace": "kube-system", "labels": labels}},
		object{"metadata": object{"name": "piwork-y", "namespace": "tasks", "labels": object{labelOwner: "other0000", labelManager: manager}}},
		object{"metadata": object{"name": "piwork-z", "namespace": "tasks", "labels": object{labelOwner: c.Owner}}},
		object{"metadata": object{"name": "", "namespace": "tasks", "labels": labels}},
	}
	for i := range forged {
		o := forged[i].(object)
		o["kind"], o["apiVersion"] = "Pod", "v1"
	}
	var deleted []string
	f.before = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodDelete:
			f.mu.Lock()
			deleted = append(deleted, r.URL.Path)
			f.mu.Unlock()
		case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/tasks/pods"):
			answer(w, http.StatusOK, object{"kind": "PodList", "apiVersion": "v1", "items": forged})
			return true
		}
		return false
	}
	if err := c.Clean(soon(t)); err != nil {
		t.Error(err)
	}
	if len(deleted) > 0 {
		t.Errorf("deleted: %q", deleted)
	}
}

// Whatever comes on a connection is bounded, and no panic.
func FuzzReceive(f *testing.F) {
	for _, seed := range [][]byte{{}, {1, 'a'}, {2, 'b'}, []byte("\x03" + `{"status":"Success"}`), {255, 0}, {9}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var out, said, end bytes.Buffer
		for len(b) > 0 { // messages, each behind its length
			n, size := binary.Uvarint(b)
			if size <= 0 {
				return
			}
			b = b[size:]
			m := b[:min(uint64(len(b)), n)]
			b = b[len(m):]
			err := receiveMessage(bytes.NewReader(m), &out, &said, &end)
			if end.Len() > maxStatus || err != nil && !errors.Is(err, errChannel) {
				t.Fatalf("%d bytes, %v", end.Len(), err)
			}
			if end.Len() > 0 {
				_ = ended(end.Bytes())
			}
		}
	})
}
