package kubernetes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"piwork/pack/lazyregexp"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
)

// Cluster says which cluster, and what there. Context, Image and Owner are needed.
type Cluster struct {
	Context   string // of the person's kubeconfig
	Namespace string // "" is the one of the context
	Image     string // with a shell, and the usual small programs
	Owner     string // names the one installation whose Pods these are

	kubeconfig string        // another file, for tests
	answer     time.Duration // for each answer; 0 is answerTime
}

// Bounds of what a cluster may say, and how long it may take.
const (
	maxAnswer  = 8 << 20 // bytes
	maxListed  = 1000    // things with our label
	answerTime = 30 * time.Second
)

var (
	namespaceName = lazyregexp.New(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	imageName     = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,299}$`)
	ownerName     = lazyregexp.New(`^[A-Za-z0-9]{8,63}$`)
)

// Check returns an error for what names no cluster.
func (c *Cluster) Check() error {
	switch {
	case c.Context == "" || len(c.Context) > 300:
		return errors.New("kubernetes: no name of a context of the kubeconfig")
	case c.Namespace != "" && !namespaceName().MatchString(c.Namespace):
		return fmt.Errorf("kubernetes: %q is no namespace", c.Namespace)
	case !imageName().MatchString(c.Image):
		return fmt.Errorf("kubernetes: %q is no image", c.Image)
	case !ownerName().MatchString(c.Owner):
		return fmt.Errorf("kubernetes: %q is no owner", c.Owner)
	}
	return nil
}

// client asks a cluster.
type client struct {
	owner     string
	namespace string
	answer    time.Duration
	config    *rest.Config
	base      *url.URL
	http      *http.Client // for exec: HTTP/1.1
	plain     *http.Client
	dynamic   dynamic.Interface
	sandboxes bool // the cluster has them
}

// meet finds the cluster in the person's kubeconfig, and asks what it has.
func (c *Cluster) meet(ctx context.Context) (*client, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.WarnIfAllMissing, rules.ExplicitPath = false, c.kubeconfig
	from := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: c.Context})
	known, err := from.RawConfig()
	if err != nil {
		return nil, failed(vmhost.ReasonClusterLogin, fmt.Errorf("kubeconfig: %w", err))
	}
	if known.Contexts[c.Context] == nil {
		return nil, failed(vmhost.ReasonClusterContext, fmt.Errorf("kubeconfig: there is no context %q", c.Context))
	}
	config, err := from.ClientConfig()
	if err != nil {
		return nil, failed(vmhost.ReasonClusterLogin, fmt.Errorf("kubeconfig: %w", err))
	}
	m := &client{owner: c.Owner, namespace: c.Namespace, answer: cmp.Or(c.answer, answerTime), config: rest.CopyConfig(config)}
	if m.namespace == "" {
		if m.namespace, _, err = from.Namespace(); err != nil {
			return nil, failed(vmhost.ReasonClusterLogin, fmt.Errorf("kubeconfig: %w", err))
		}
	}
	if err := m.prepare(); err != nil {
		return nil, failed(vmhost.ReasonClusterLogin, err)
	}
	if m.sandboxes, err = m.has(ctx, sandboxResource); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// quiet has client-go write nothing to the standard error of this program.
var quiet = sync.OnceFunc(func() { klog.SetLogger(logr.Discard()) })

func (m *client) prepare() (err error) {
	quiet()
	m.config.UserAgent, m.config.WarningHandler, m.config.QPS, m.config.Burst = "piwork", rest.NoWarnings{}, 50, 100
	if m.config.ExecProvider != nil { // nobody sits in front of it
		m.config.ExecProvider.StdinUnavailable, m.config.ExecProvider.StdinUnavailableMessage = true, "piwork works in the background"
	}
	m.config.Wrap(func(rt http.RoundTripper) http.RoundTripper { return bounded{rt} })
	if m.plain, err = rest.HTTPClientFor(m.config); err != nil {
		return err
	}
	first := rest.CopyConfig(m.config)
	first.NextProtos = []string{"http/1.1"}
	if m.http, err = rest.HTTPClientFor(first); err != nil {
		return err
	}
	for _, h := range []*http.Client{m.plain, m.http} {
		h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	if m.base, _, err = rest.DefaultServerUrlFor(m.config); err != nil {
		return err
	}
	m.dynamic, err = dynamic.NewForConfigAndClient(m.config, m.plain)
	return err
}

func (m *client) close() {
	m.plain.CloseIdleConnections()
	m.http.CloseIdleConnections()
}

// bounded bounds the answers of a cluster; a connection that becomes a WebSocket bounds
// itself.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil && resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body = &boundedBody{resp.Body, maxAnswer}
	}
	return resp, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

// errTooLong is that of an answer.
var errTooLong = errors.New("the cluster says too much")

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// stuckTime is how long a question may go on after its time: the login program of a kubeconfig
// hears of no end (client-go, plugin/pkg/client/auth/exec), and is left behind then.
const stuckTime = time.Second

// ask asks the cluster something, in its time.
func ask[T any](ctx context.Context, m *client, what string, f func(context.Context) (T, error)) (T, error) {
	bounded, cancel := context.WithTimeout(ctx, m.answer)
	defer cancel()
	answered := make(chan reply[T], 1)
	go func() {
		v, err := f(bounded)
		answered <- reply[T]{v, err}
	}()
	stuck := make(chan struct{})
	defer context.AfterFunc(bounded, func() { time.AfterFunc(stuckTime, func() { close(stuck) }) })()
	var none T
	select {
	case a := <-answered:
		switch {
		case a.err == nil:
			return a.value, nil
		case ctx.Err() != nil:
			return none, context.Cause(ctx)
		}
		return none, explain(what, a.err)
	case <-ctx.Done():
		go func() { (<-answered).end() }()
		return none, context.Cause(ctx)
	case <-stuck:
		go func() { (<-answered).end() }()
		if m.config.ExecProvider == nil {
			return none, explain(what, context.DeadlineExceeded)
		}
		return none, failed(vmhost.ReasonClusterLogin, fmt.Errorf("%s: the login program of the kubeconfig did not answer: %.200s", what, m.config.ExecProvider.Command))
	}
}

// reply is what a cluster answered.
type reply[T any] struct {
	value T
	err   error
}

// end closes what came too late.
func (a reply[T]) end() {
	if c, is := any(a.value).(io.Closer); is && a.err == nil {
		_ = c.Close()
	}
}

// explain is the error of a cluster: who can't be reached, lets nobody in, or refuses.
func explain(what string, err error) error {
	var status apierrors.APIStatus
	var known *vmhost.FailedError
	full := fmt.Errorf("%s: %w", what, err)
	switch {
	case errors.As(err, &known):
		return err
	case apierrors.IsUnauthorized(err), apierrors.IsForbidden(err):
		return failed(vmhost.ReasonClusterLogin, full)
	case errors.As(err, &status) && !apierrors.IsServiceUnavailable(err) && !apierrors.IsInternalError(err) && !apierrors.IsTimeout(err),
		errors.Is(err, errTooLong):
		return failed(vmhost.ReasonClusterUnfit, full)
	}
	return failed(vmhost.ReasonClusterUnreachable, full)
}

// maxSaid bounds what of an error is shown, in bytes: a cluster can say anything.
const maxSaid = 2 << 10

func failed(reason vmhost.Reason, err error) error {
	said := err.Error()
	if len(said) > maxSaid {
		said = strings.ToValidUTF8(said[:maxSaid], "")
		err = errors.New(said)
	}
	return &vmhost.FailedError{Runtime: vmhost.KindKubernetes, Step: hosted.StepPlace, Reason: reason, Detail: said, Err: err}
}

// has asks whether the cluster has a kind of things.
func (m *client) has(ctx context.Context, r schema.GroupVersionResource) (bool, error) {
	return ask(ctx, m, "ask the cluster what it has", func(ctx context.Context) (has bool, err error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.base.JoinPath("apis", r.Group, r.Version).String(), nil)
		if err != nil {
			return false, err
		}
		resp, err := m.plain.Do(req)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			return false, err
		}
		switch resp.StatusCode {
		case http.StatusNotFound:
			return false, nil
		case http.StatusOK:
		default:
			return false, apierrors.NewGenericServerResponse(resp.StatusCode, "get", schema.GroupResource{}, "", fmt.Sprintf("%.200q", b), 0, true)
		}
		var list unstructured.Unstructured
		if err := list.UnmarshalJSON(b); err != nil {
			return false, failed(vmhost.ReasonClusterUnfit, err)
		}
		all, _, _ := unstructured.NestedSlice(list.Object, "resources")
		for _, item := range all {
			if o, ok := item.(object); ok && o["name"] == r.Resource {
				has = true
			}
		}
		return has, nil
	})
}

// of are things of a kind, in our namespace.
func (m *client) of(r schema.GroupVersionResource) dynamic.ResourceInterface {
	return m.dynamic.Resource(r).Namespace(m.namespace)
}

// kinds are those of all that is made, the makers of others first.
func (m *client) kinds() []schema.GroupVersionResource {
	all := []schema.GroupVersionResource{podResource, policyResource}
	if m.sandboxes {
		all = append([]schema.GroupVersionResource{sandboxResource}, all...)
	}
	return all
}

// live are the names of the Pods of this process.
var live sync.Map

// sweep deletes what has our label; with spare not what this process uses.
func (m *client) sweep(ctx context.Context, spare bool) error {
	for _, kind := range m.kinds() {
		list, err := m.list(ctx, kind)
		if err != nil && kind == policyResource && isRefused(err) {
			continue // who may not see them made none
		}
		if err != nil {
			return err
		}
		for _, name := range m.ours(list, spare) {
			if err := m.remove(ctx, kind, name, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// list lists things of a kind that have our label, or something else: a cluster can say
// anything.
func (m *client) list(ctx context.Context, kind schema.GroupVersionResource) (*unstructured.UnstructuredList, error) {
	return ask(ctx, m, "list "+kind.Resource, func(ctx context.Context) (*unstructured.UnstructuredList, error) {
		return m.of(kind).List(ctx, metav1.ListOptions{LabelSelector: labelOwner + "=" + m.owner, Limit: maxListed})
	})
}

func isRefused(err error) bool {
	var f *vmhost.FailedError
	return errors.As(err, &f) && f.Reason == vmhost.ReasonClusterLogin
}

// ours are the names of what is ours in a list, whatever else a cluster puts there.
func (m *client) ours(list *unstructured.UnstructuredList, spare bool) (names []string) {
	for _, o := range list.Items {
		_, used := live.Load(o.GetName())
		if o.GetNamespace() == m.namespace && o.GetLabels()[labelOwner] == m.owner && o.GetLabels()[labelManager] == manager &&
			strings.HasPrefix(o.GetName(), namePrefix) && len(names) < maxListed && (!used || !spare) {
			names = append(names, o.GetName())
		}
	}
	return names
}

// remove deletes something, and waits until it is gone. A uid says that it is to be that
// one.
func (m *client) remove(ctx context.Context, kind schema.GroupVersionResource, name, uid string) error {
	now, foreground := int64(1), metav1.DeletePropagationForeground
	o := metav1.DeleteOptions{GracePeriodSeconds: &now}
	if kind == sandboxResource { // its Pod goes first
		o = metav1.DeleteOptions{PropagationPolicy: &foreground}
	}
	if uid != "" {
		o.Preconditions = metav1.NewUIDPreconditions(uid)
	}
	_, err := ask(ctx, m, "delete "+name, func(ctx context.Context) (struct{}, error) {
		for pause := firstPause; ; pause = min(2*pause, lastPause) {
			err := m.of(kind).Delete(ctx, name, o)
			if apierrors.IsNotFound(err) || uid != "" && apierrors.IsConflict(err) {
				return struct{}{}, nil
			}
			if err != nil {
				return struct{}{}, err
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return struct{}{}, fmt.Errorf("it is still there: %w", context.Cause(ctx))
			}
		}
	})
	return err
}

// Look makes sure that the cluster lets the person have a Pod of the image, without making
// one.
func (c *Cluster) Look(ctx context.Context) error {
	m, err := c.meet(ctx)
	if err != nil {
		return err
	}
	defer m.close()
	a := arrangement{name: newName(), namespace: m.namespace, owner: c.Owner, image: c.Image, arch: "amd64"}
	_, err = ask(ctx, m, "ask for a Pod", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return m.of(podResource).Create(ctx, a.pod(), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	})
	return err
}

// Clean deletes everything that has our label in the cluster, also what is used.
func (c *Cluster) Clean(ctx context.Context) error {
	m, err := c.meet(ctx)
	if err != nil {
		return err
	}
	defer m.close()
	return m.sweep(ctx, false)
}

// Places counts the Pods that have our label in the cluster.
func (c *Cluster) Places(ctx context.Context) (int, error) {
	m, err := c.meet(ctx)
	if err != nil {
		return 0, err
	}
	defer m.close()
	list, err := m.list(ctx, podResource)
	if err != nil {
		return 0, err
	}
	return len(m.ours(list, false)), nil
}
