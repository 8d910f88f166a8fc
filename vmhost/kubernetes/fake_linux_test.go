package kubernetes

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// token is the one with which the person logs in.
const token = "the-token-of-a-person"

// fake is a cluster: an API server, and a node whose Pods are namespaces of this computer.
type fake struct {
	t         testing.TB
	server    *httptest.Server
	tree      string
	sandboxes bool // it has the custom resource
	enforces  bool // network policies
	resolves  bool // its name servers can be reached by a Pod without a network
	old       bool // it speaks no v5

	before func(w http.ResponseWriter, r *http.Request) bool // answers in its place; nil for none
	change func(kind string, o object)                       // what an admission does; nil for nothing

	mu      sync.Mutex
	objects map[string]object // by kind/namespace/name
	pods    map[string]*pod
	asked   []string
	uid     int
	conns   []*websocket.Conn
	closed  bool           // no Pod is started any more
	starts  sync.WaitGroup // those that are being started
}

// pod is one on the node.
type pod struct {
	dir  string
	name string
	mu   sync.Mutex
	all  []*exec.Cmd
	work sync.WaitGroup
	over bool
}

func newFake(t testing.TB) *fake {
	t.Helper()
	tree, _ := parts(t)
	f := &fake{t: t, tree: tree, enforces: true, objects: map[string]object{}, pods: map[string]*pod{}}
	f.server = httptest.NewTLSServer(http.HandlerFunc(f.serve))
	t.Cleanup(func() {
		f.mu.Lock()
		left := fmt.Sprint(len(f.objects))
		for name := range f.objects {
			if !strings.Contains(name, "/of-") { // that a test put there
				t.Errorf("%s is left in the cluster, of %s", name, left)
			}
		}
		f.closed = true
		f.mu.Unlock()
		f.starts.Wait()
		f.mu.Lock()
		pods := maps.Clone(f.pods)
		f.mu.Unlock()
		for _, p := range pods {
			p.end()
		}
		f.cut()
		f.server.Close()
	})
	return f
}

// cluster is how the person knows it.
func (f *fake) cluster() Cluster {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.server.Certificate().Raw})
	config := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q, certificate-authority-data: %s}}]
users: [{name: anna, user: {token: %s}}]
contexts: [{name: lab, context: {cluster: c, user: anna, namespace: tasks}}]
`, f.server.URL, base64.StdEncoding.EncodeToString(ca), token)
	name := filepath.Join(f.t.TempDir(), "config")
	if err := os.WriteFile(name, []byte(config), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return Cluster{Context: "lab", Image: "registry.example/tools:1", Owner: "owner0000", kubeconfig: name}
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, r.Method+" "+r.URL.Path)
	before := f.before
	f.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+token {
		status(w, http.StatusUnauthorized, "Unauthorized")
		return
	}
	if r.URL.Path == "/apis/agents.x-k8s.io/v1beta1" && f.sandboxes {
		answer(w, http.StatusOK, object{
			"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "agents.x-k8s.io/v1beta1",
			"resources": []any{object{"name": "sandboxes", "namespaced": true, "kind": "Sandbox", "verbs": []any{"create"}}},
		})
		return
	}
	_, path, ok := strings.Cut(r.URL.Path, "/namespaces/")
	parts := strings.Split(path, "/")
	if !ok || len(parts) < 2 || !slices.Contains(f.kinds(), parts[1]) || parts[0] != "tasks" {
		status(w, http.StatusNotFound, "NotFound")
		return
	}
	kind := parts[1]
	switch {
	case len(parts) == 4 && parts[3] == "exec":
		f.exec(w, r, parts[2])
	case r.Method == http.MethodPost && len(parts) == 2:
		f.create(w, r, kind)
	case r.Method == http.MethodGet && len(parts) == 2:
		f.list(w, r, kind)
	case r.Method == http.MethodGet:
		f.get(w, kind+"/tasks/"+parts[2])
	case r.Method == http.MethodPatch && r.Header.Get("Content-Type") == "application/merge-patch+json":
		f.patch(w, r, kind+"/tasks/"+parts[2])
	case r.Method == http.MethodDelete:
		f.remove(w, kind, parts[2])
	default:
		status(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
}

func (f *fake) kinds() []string {
	all := []string{"pods", "networkpolicies"}
	if f.sandboxes {
		all = append(all, "sandboxes")
	}
	return all
}

func answer(w http.ResponseWriter, code int, o object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o)
}

func status(w http.ResponseWriter, code int, reason string) {
	answer(w, code, object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": reason, "code": code})
}

// put has something in the cluster.
func (f *fake) put(kind string, o object) string {
	m := o["metadata"].(object)
	f.uid++
	m["uid"], m["namespace"] = fmt.Sprintf("uid-%d", f.uid), "tasks"
	name := fmt.Sprintf("%s/tasks/%s", kind, m["name"])
	f.objects[name] = o
	return name
}

func (f *fake) create(w http.ResponseWriter, r *http.Request, kind string) {
	var o object
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		status(w, http.StatusBadRequest, "BadRequest")
		return
	}
	if r.URL.Query().Get("dryRun") != "" {
		answer(w, http.StatusCreated, o)
		return
	}
	if f.change != nil {
		f.change(kind, o)
	}
	f.mu.Lock()
	f.put(kind, o)
	b, _ := json.Marshal(o)
	f.mu.Unlock()
	switch kind {
	case "pods":
		f.run(o)
	case "sandboxes": // its controller makes the Pod
		m := o["metadata"].(object)
		template := o["spec"].(object)["podTemplate"].(object)
		p := object{
			"apiVersion": "v1", "kind": "Pod", "spec": template["spec"],
			"metadata": object{
				"name": m["name"], "labels": template["metadata"].(object)["labels"],
				"ownerReferences": []any{object{"apiVersion": "agents.x-k8s.io/v1beta1", "kind": "Sandbox", "name": m["name"], "uid": m["uid"], "controller": true}},
			},
		}
		time.AfterFunc(100*time.Millisecond, func() {
			f.mu.Lock()
			_, there := f.objects[fmt.Sprintf("sandboxes/tasks/%s", m["name"])]
			if there = there && !f.closed; there {
				if f.change != nil {
					f.change("pods", p)
				}
				f.put("pods", p)
			}
			f.mu.Unlock()
			if there {
				f.run(p)
			}
		})
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(b)
}

func (f *fake) list(w http.ResponseWriter, r *http.Request, kind string) {
	key, value, _ := strings.Cut(r.URL.Query().Get("labelSelector"), "=")
	f.mu.Lock()
	defer f.mu.Unlock()
	items := []any{}
	for name, o := range f.objects {
		labels, _ := o["metadata"].(object)["labels"].(object)
		if strings.HasPrefix(name, kind+"/") && (key == "" || labels[key] == value) {
			items = append(items, o)
		}
	}
	answer(w, http.StatusOK, object{"kind": "List", "apiVersion": "v1", "metadata": object{}, "items": items})
}

func (f *fake) get(w http.ResponseWriter, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, ok := f.objects[name]
	if !ok {
		status(w, http.StatusNotFound, "NotFound")
		return
	}
	answer(w, http.StatusOK, o)
}

// patch merges a spec into what is there.
func (f *fake) patch(w http.ResponseWriter, r *http.Request, name string) {
	var o object
	err := json.NewDecoder(r.Body).Decode(&o)
	f.mu.Lock()
	defer f.mu.Unlock()
	had, ok := f.objects[name]
	if err != nil || !ok {
		status(w, http.StatusNotFound, "NotFound")
		return
	}
	maps.Copy(had["spec"].(object), o["spec"].(object))
	answer(w, http.StatusOK, had)
}

func (f *fake) remove(w http.ResponseWriter, kind, name string) {
	f.mu.Lock()
	_, ok := f.objects[kind+"/tasks/"+name]
	delete(f.objects, kind+"/tasks/"+name)
	if kind == "sandboxes" {
		delete(f.objects, "pods/tasks/"+name)
	}
	p := f.pods[name]
	if kind == "networkpolicies" {
		p = nil
	}
	f.mu.Unlock()
	if p != nil {
		p.end()
	}
	if !ok {
		status(w, http.StatusNotFound, "NotFound")
		return
	}
	answer(w, http.StatusOK, object{"kind": "Status", "apiVersion": "v1", "status": "Success"})
}

// set changes what the cluster says of a Pod.
func (f *fake) set(name, phase string, state object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o, ok := f.objects["pods/tasks/"+name]; ok && !strings.Contains(fmt.Sprint(o["status"]), "Evicted") {
		o["status"] = object{"phase": phase, "containerStatuses": []any{object{"name": containerName, "state": state}}}
	}
}

// run is the kubelet: it starts the first process of a Pod.
func (f *fake) run(o object) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return
	}
	f.starts.Add(1)
	f.mu.Unlock()
	defer f.starts.Done()
	name, _ := o["metadata"].(object)["name"].(string)
	if err := f.permits(o); err != nil {
		f.t.Errorf("the Pod may too much: %v", err)
	}
	dir, err := os.MkdirTemp("", "pod")
	if err != nil {
		f.t.Error(err)
		return
	}
	for _, v := range volumes {
		if err := errors.Join(os.Mkdir(filepath.Join(dir, v.name), 0o700), os.Chmod(filepath.Join(dir, v.name), 0o777)); err != nil {
			f.t.Error(err)
		}
	}
	p := &pod{dir: dir, name: name}
	f.mu.Lock()
	f.pods[name] = p
	f.mu.Unlock()
	c := o["spec"].(object)["containers"].([]any)[0].(object)
	var argv []string
	for _, a := range c["command"].([]any) {
		argv = append(argv, a.(string))
	}
	cmd := f.command(p, false, argv)
	if err := p.start(cmd); err != nil {
		f.t.Error(err)
		return
	}
	f.set(name, "Running", object{"running": object{}})
	p.work.Go(func() {
		_ = cmd.Wait()
		f.set(name, "Succeeded", object{"terminated": object{"reason": "Completed"}})
	})
}

// permits is Kubernetes' own profile "restricted", as far as it is of a Pod like ours.
func (f *fake) permits(o object) error {
	spec := o["spec"].(object)
	own := spec["containers"].([]any)[0].(object)["securityContext"].(object)
	all := spec["securityContext"].(object)
	switch {
	case own["allowPrivilegeEscalation"] != false, own["privileged"] == true, own["readOnlyRootFilesystem"] != true:
		return errors.New("rights")
	case all["runAsNonRoot"] != true, all["seccompProfile"].(object)["type"] != "RuntimeDefault":
		return errors.New("root or calls")
	case fmt.Sprint(own["capabilities"]) != "map[drop:[ALL]]", spec["automountServiceAccountToken"] != false:
		return errors.New("capabilities or a token")
	}
	for _, v := range spec["volumes"].([]any) {
		if _, ok := v.(object)["emptyDir"]; !ok {
			return fmt.Errorf("a volume: %v", v)
		}
	}
	return nil
}

// image has bwrap show a tree, in which places of volumes need not be: links stay links.
func image(tree string) (args []string) {
	entries, err := os.ReadDir(tree)
	if err != nil {
		return []string{"--ro-bind", tree, "/"}
	}
	for _, e := range entries {
		from, at := filepath.Join(tree, e.Name()), "/"+e.Name()
		if to, err := os.Readlink(from); err == nil {
			args = append(args, "--symlink", to, at)
		} else {
			args = append(args, "--ro-bind", from, at)
		}
	}
	return args
}

// command runs a program in a Pod.
func (f *fake) command(p *pod, offline bool, argv []string) *exec.Cmd {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL", "--new-session",
		"--die-with-parent", "--clearenv", "--tmpfs", "/",
	}
	args = append(args, image(f.tree)...)
	args = append(args, "--proc", "/proc", "--dev", "/dev")
	if offline {
		args = append(args, "--unshare-net")
	}
	for _, v := range volumes {
		args = append(args, "--bind", filepath.Join(p.dir, v.name), v.path)
	}
	args = append(args, "--remount-ro", "/")
	at, _ := url.Parse(f.server.URL)
	args = append(args, "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "KUBERNETES_SERVICE_HOST", at.Hostname(), "--setenv", "KUBERNETES_SERVICE_PORT", at.Port(), "--")
	return exec.Command("bwrap", append(args, argv...)...)
}

func (p *pod) start(c *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return errors.New("the Pod is no more")
	}
	if err := c.Start(); err != nil {
		return err
	}
	p.all = append(p.all, c)
	return nil
}

// end kills what runs in a Pod.
func (p *pod) end() {
	p.mu.Lock()
	p.over = true
	for _, c := range p.all {
		kill(c.Process)
	}
	p.mu.Unlock()
	p.work.Wait()
	os.RemoveAll(p.dir)
}

// kill ends a bwrap and what it has started: a child that has not asked yet to die with it
// (prctl(2), PR_SET_PDEATHSIG) would stay.
func kill(bwrap *os.Process) {
	_ = bwrap.Signal(syscall.SIGSTOP) // it starts no more; one that has ended is no matter
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", bwrap.Pid))
	for child := range strings.FieldsSeq(string(children)) {
		if pid, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	_ = bwrap.Kill()
}

// exec is "exec" of the API server and the kubelet.
func (f *fake) exec(w http.ResponseWriter, r *http.Request, name string) {
	f.mu.Lock()
	p := f.pods[name]
	offline := false
	if policy, ok := f.objects["networkpolicies/tasks/"+name]; ok && f.enforces {
		offline = policy["spec"].(object)["egress"] == nil
	}
	f.mu.Unlock()
	q := r.URL.Query()
	if p == nil || q.Get("container") != containerName {
		status(w, http.StatusNotFound, "NotFound")
		return
	}
	speaks := protocols
	if f.old {
		speaks = protocols[1:]
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: speaks, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return
	}
	defer ws.CloseNow()
	f.mu.Lock()
	f.conns = append(f.conns, ws)
	f.mu.Unlock()
	ws.SetReadLimit(1 << 20)
	argv := q["command"]
	if f.resolves && slices.Equal(argv, []string{agentPath, "apart"}) {
		argv = []string{"/bin/sh", "-c", "echo piwork-guest: reached 10.96.0.10:53 >&2; exit 1"}
	}
	cmd := f.command(p, offline, argv)
	in, err := cmd.StdinPipe()
	if err != nil {
		f.t.Error(err)
		return
	}
	var turn sync.Mutex
	cmd.Stdout, cmd.Stderr = &channel{ws, channelOut, &turn}, &channel{ws, channelErr, &turn}
	if err := p.start(cmd); err != nil {
		return
	}
	p.work.Add(1)
	go func() {
		defer in.Close()
		for {
			_, b, err := ws.Read(context.Background())
			switch {
			case err != nil:
				return
			case bytes.Equal(b, []byte{channelClose, channelIn}):
				in.Close()
			case len(b) > 0 && b[0] == channelIn:
				if _, err := in.Write(b[1:]); err != nil {
					continue
				}
			default:
				f.t.Errorf("the client sent % x", b[:min(len(b), 8)])
			}
		}
	}()
	err = cmd.Wait()
	p.work.Done()
	said := `{"metadata":{},"status":"Success"}`
	if e, is := errors.AsType[*exec.ExitError](err); is {
		said = fmt.Sprintf(`{"metadata":{},"status":"Failure","reason":"NonZeroExitCode","message":"command terminated with exit code %d","details":{"causes":[{"reason":"ExitCode","message":"%[1]d"}]}}`, e.ExitCode())
	}
	if _, err := io.WriteString(&channel{ws, channelStatus, &turn}, said); err == nil {
		_ = ws.Close(websocket.StatusNormalClosure, "")
	}
}

// channel is one of an exec.
type channel struct {
	ws   *websocket.Conn
	n    byte
	turn *sync.Mutex
}

func (c *channel) Write(b []byte) (int, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	if err := c.ws.Write(context.Background(), websocket.MessageBinary, append([]byte{c.n}, b...)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// cut ends all connections to programs.
func (f *fake) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		go c.CloseNow()
	}
	f.conns = nil
}

// names are what is in the cluster.
func (f *fake) names() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.objects {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
