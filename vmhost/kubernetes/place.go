package kubernetes

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// How long this side waits between looks, and in all.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second
	startTime  = 5 * time.Minute  // for a Pod to run: a node may have to be made, an image be fetched
	awayTime   = time.Minute      // for an API server that cannot be reached meanwhile
	closedTime = 10 * time.Second // for a network to be away
)

// place is one Pod.
type place struct {
	cfg    *Config
	client *client
	arrangement
	made  map[schema.GroupVersionResource]string // the uid of each that was made
	names bool                                   // other policies open name servers, too
	said  hosted.Tail
	conn  net.Conn // to the agent
	side  net.Conn // the other end
	ctx   context.Context
	stop  context.CancelFunc // of the connection

	once sync.Once
	done chan struct{}
	exit error // before done is closed
}

func newName() string { return namePrefix + strings.ToLower(rand.Text()) }

// open makes the place.
func (c *Config) open(ctx context.Context) (_ hosted.Place, err error) {
	p := &place{cfg: c, done: make(chan struct{}), made: map[schema.GroupVersionResource]string{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	agent, err := readAgent(c.Agent)
	if err != nil {
		return nil, err
	}
	if p.client, err = c.Cluster.meet(ctx); err != nil {
		return nil, c.named(err)
	}
	p.arrangement = arrangement{name: newName(), namespace: p.client.namespace, owner: c.Cluster.Owner, image: c.Cluster.Image, arch: agent.arch, memoryMB: c.MemoryMB, cpus: c.CPUs}
	live.Store(p.name, true)
	for _, step := range []func() error{
		p.makeDir,
		func() error { return p.client.sweep(ctx, true) },
		func() error { return p.make(ctx) },
		func() error { return p.awaitRunning(ctx) },
		func() error { return p.findOthers(ctx) },
		func() error { return agent.send(ctx, p.client, p.name) },
		func() error { return p.keepApart(ctx) },
		func() error { return p.connect(ctx) },
		func() error { return p.serve(ctx) },
	} {
		if err := step(); err != nil {
			return nil, errors.Join(c.named(p.better(err)), p.clear())
		}
	}
	return p, nil
}

// named gives an error the name of the runtime.
func (c *Config) named(err error) error {
	if f, is := errors.AsType[*vmhost.FailedError](err); is {
		f.Runtime = vmhost.KindKubernetes + ":" + c.Name
	}
	return err
}

func (p *place) makeDir() error {
	if p.cfg.Copy == nil || p.cfg.Dir == "" {
		return nil
	}
	return os.MkdirAll(p.cfg.Dir, 0o700)
}

// make makes the Sandbox or the Pod, and the policy of its network.
func (p *place) make(ctx context.Context) error {
	kind, what := podResource, p.pod()
	if p.client.sandboxes {
		kind, what = sandboxResource, p.sandbox(time.Now())
	}
	owner, err := p.create(ctx, kind, what)
	if err != nil {
		return err
	}
	_, err = p.create(ctx, policyResource, p.policy(owner))
	return err
}

func (p *place) create(ctx context.Context, kind schema.GroupVersionResource, what *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	p.made[kind] = "" // also when its answer does not come
	got, err := ask(ctx, p.client, "make a "+what.GetKind(), func(ctx context.Context) (*unstructured.Unstructured, error) {
		return p.client.of(kind).Create(ctx, what, metav1.CreateOptions{})
	})
	if err != nil {
		return nil, err
	}
	if got.GetName() != p.name || got.GetNamespace() != p.namespace || got.GetUID() == "" {
		return nil, failed(vmhost.ReasonClusterUnfit, fmt.Errorf("the cluster made something else: %.80q", got.GetName()))
	}
	p.made[kind] = string(got.GetUID())
	return got, nil
}

// look asks for the Pod.
func (p *place) look(ctx context.Context) (*unstructured.Unstructured, error) {
	return ask(ctx, p.client, "ask for the Pod", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return p.client.of(podResource).Get(ctx, p.name, metav1.GetOptions{})
	})
}

// awaitRunning waits until the Pod runs, and is what was asked for.
func (p *place) awaitRunning(ctx context.Context) error {
	bounded, cancel := context.WithTimeoutCause(ctx, startTime, failed(vmhost.ReasonClusterUnfit, errors.New("the Pod did not start in time")))
	defer cancel()
	state, heard := "", time.Now()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		pod, err := p.look(bounded)
		switch {
		case err == nil:
			runs, now, err := running(pod)
			if err != nil {
				return failed(vmhost.ReasonClusterUnfit, err)
			}
			if runs {
				return p.accept(pod)
			}
			state, heard = now, time.Now()
		case isGone(err) && p.client.sandboxes: // it comes
			heard = time.Now()
		case isAway(err) && bounded.Err() == nil && time.Since(heard) < awayTime:
		default:
			return err
		}
		select {
		case <-time.After(pause):
		case <-bounded.Done():
			if ctx.Err() == nil && state != "" {
				return failed(vmhost.ReasonClusterUnfit, fmt.Errorf("the Pod did not start in time: %.400s", state))
			}
			return context.Cause(bounded)
		}
	}
}

// accept takes a Pod over that runs.
func (p *place) accept(pod *unstructured.Unstructured) error {
	if err := p.check(pod); err != nil {
		return failed(vmhost.ReasonClusterUnfit, err)
	}
	uid, mine := p.made[podResource], string(pod.GetUID())
	if by, ok := p.made[sandboxResource]; ok {
		uid = ""
		for _, o := range pod.GetOwnerReferences() {
			if o.Kind == "Sandbox" && string(o.UID) == by {
				uid = mine
			}
		}
	}
	if uid != mine {
		return failed(vmhost.ReasonClusterUnfit, errors.New("the cluster answers with a Pod that somebody else made"))
	}
	return nil
}

// isAway reports whether the cluster may be there again in a moment.
func isAway(err error) bool {
	var f *vmhost.FailedError
	return errors.As(err, &f) && (f.Reason == vmhost.ReasonClusterUnreachable || f.Reason == vmhost.ReasonClusterLost && !errors.Is(err, errChannel))
}

func isGone(err error) bool {
	var f *vmhost.FailedError
	return errors.As(err, &f) && apierrors.IsNotFound(f.Err)
}

// permanent are states of a container that do not get better by waiting.
var permanent = map[string]bool{
	"ImagePullBackOff": true, "InvalidImageName": true, "ErrImageNeverPull": true, "CreateContainerConfigError": true, "CreateContainerError": true,
	"RunContainerError": true, "CrashLoopBackOff": true,
}

// running reads whether a Pod runs. An error is that it never will.
func running(pod *unstructured.Unstructured) (runs bool, state string, err error) {
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	if phase == "Failed" || phase == "Succeeded" {
		return false, "", errors.New("the Pod ended: " + ending(pod))
	}
	for _, c := range list(pod, "status", "conditions") {
		if c["type"] == "PodScheduled" && c["status"] == "False" {
			state = text(c, "reason") + ": " + text(c, "message")
		}
	}
	for _, c := range list(pod, "status", "containerStatuses") {
		if c["name"] != containerName {
			continue
		}
		if _, ok, _ := unstructured.NestedMap(c, "state", "running"); ok {
			return phase == "Running" && pod.GetDeletionTimestamp() == nil, "", nil
		}
		waiting, _, _ := unstructured.NestedMap(c, "state", "waiting")
		state = text(waiting, "reason") + ": " + text(waiting, "message")
		if permanent[text(waiting, "reason")] {
			return false, "", fmt.Errorf("the Pod does not start: %.400s", state)
		}
	}
	return false, state, nil
}

// ending is what a Pod says of its end.
func ending(pod *unstructured.Unstructured) string {
	all := []string{}
	status, _, _ := unstructured.NestedMap(pod.Object, "status")
	add := func(o object) {
		if s := strings.Trim(text(o, "reason")+": "+text(o, "message"), ": "); s != "" {
			all = append(all, fmt.Sprintf("%.300s", s))
		}
	}
	add(status)
	for _, c := range list(pod, "status", "containerStatuses") {
		if c["name"] == containerName {
			over, _, _ := unstructured.NestedMap(c, "state", "terminated")
			add(over)
		}
	}
	return strings.Join(all, "; ")
}

func list(pod *unstructured.Unstructured, at ...string) (all []object) {
	items, _, _ := unstructured.NestedSlice(pod.Object, at...)
	for _, i := range items {
		if o, ok := i.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

func text(o object, key string) string {
	s, _ := o[key].(string)
	return s
}

// keepApart makes sure that the Pod has no network, but for name servers that other policies
// open: a cluster may take a policy that nothing in it enforces, or enforce it a moment later.
func (p *place) keepApart(ctx context.Context) error {
	look := []string{agentPath, "apart"}
	if p.names {
		look = append(look, "server")
	}
	for began := time.Now(); ; {
		_, err := p.client.run(ctx, p.name, p.client.answer, nil, look...)
		var e *endedError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &e):
			return err
		case !strings.Contains(err.Error(), "piwork-guest: reached "):
			return failed(vmhost.ReasonVersion, fmt.Errorf("the agent of the installed runtime cannot tell whether there is a network: %w", err))
		case time.Since(began) > closedTime:
			return &vmhost.UnsupportedError{
				Runtime: vmhost.KindKubernetes + ":" + p.cfg.Name,
				What:    "this cluster does not enforce network policies, so that programs would reach everything in it; its network plugin has to (Calico and Cilium do)",
			}
		}
		select {
		case <-time.After(lastPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// connect gives a Pod that is to have a network what it may reach of that.
func (p *place) connect(ctx context.Context) error {
	if p.cfg.network() != vmhost.NetworkAllow {
		return nil
	}
	b, err := json.Marshal(online())
	if err != nil {
		return err
	}
	_, err = ask(ctx, p.client, "change the NetworkPolicy", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return p.client.of(policyResource).Patch(ctx, p.name, types.MergePatchType, b, metav1.PatchOptions{})
	})
	return err
}

// serve starts the agent, and has its streams be the conversation.
func (p *place) serve(ctx context.Context) error {
	s, err := p.client.start(ctx, p.name, append([]string{"/bin/sh", "-c", serve, "piwork", "/dev"}, writable...)...)
	if err != nil {
		return err
	}
	p.conn, p.side = net.Pipe()
	go func() {
		defer s.close()
		err := s.carry(p.ctx, p.side, p.side, &p.said)
		p.side.Close()
		p.finish(p.why(err))
	}()
	return nil
}

// why is how the place ended, by what its connection says and the Pod.
func (p *place) why(err error) error {
	if p.ctx.Err() != nil || errors.Is(err, io.ErrClosedPipe) {
		return errors.New("this computer ended the conversation")
	}
	pod, lerr := p.look(p.ctx)
	switch {
	case isGone(lerr):
		return p.lost(errors.New("the Pod was deleted"))
	case lerr != nil:
		return p.lost(errors.Join(err, lerr))
	case pod.GetDeletionTimestamp() != nil:
		return p.lost(errors.New("the Pod is being deleted"))
	}
	var e *endedError
	agent := err == nil || errors.As(err, &e)
	// A Pod whose connection breaks ends by itself, and may have before it is looked at.
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	_, _, ended := running(pod)
	switch {
	case ended != nil && (agent || phase != "Succeeded"):
		return ended
	case err == nil:
		return errors.New("the agent in the Pod ended")
	case agent:
		return fmt.Errorf("the agent in the Pod: %w", err)
	}
	return p.lost(err)
}

// lost is the error of a place that this side no longer has.
func (p *place) lost(err error) error {
	err = failed(vmhost.ReasonClusterLost, err)
	if f, is := errors.AsType[*vmhost.FailedError](err); is {
		f.Step = ""
	}
	return p.cfg.named(err)
}

// better is the error of a step with what the Pod says of its own end.
func (p *place) better(err error) error {
	if f, is := errors.AsType[*vmhost.FailedError](err); !is || f.Reason != vmhost.ReasonClusterLost {
		return err
	}
	if pod, lerr := p.look(p.ctx); lerr == nil {
		if _, _, ended := running(pod); ended != nil {
			return failed(vmhost.ReasonClusterUnfit, ended)
		}
	}
	return err
}

func (p *place) finish(err error) {
	p.once.Do(func() {
		p.exit = err
		close(p.done)
	})
}

// Conn implements hosted.Place, as do the others.
func (p *place) Conn() net.Conn        { return p.conn }
func (p *place) Done() <-chan struct{} { return p.done }
func (p *place) Exit() error           { return p.exit }
func (p *place) Evidence() string      { return p.said.String() }

// End ends what is left, and removes it.
func (p *place) End() error {
	err := p.clear()
	<-p.done
	return err
}

// clear removes what was made, also when it is not known whether it was.
func (p *place) clear() error {
	defer live.Delete(p.name)
	p.stop()
	if p.side != nil {
		p.side.Close()
	}
	var err error
	for _, kind := range []schema.GroupVersionResource{sandboxResource, podResource, policyResource} {
		if uid, ok := p.made[kind]; ok {
			err = errors.Join(err, p.client.remove(context.Background(), kind, p.name, uid))
		}
	}
	p.client.close()
	if p.cfg.Copy != nil && p.cfg.Dir != "" {
		err = errors.Join(err, os.RemoveAll(p.cfg.Dir))
	}
	if err != nil {
		return fmt.Errorf("what is left in the cluster ends by itself, and goes with piwork remote clean: %w", err)
	}
	return nil
}
