package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"piwork/vmhost"
)

// findOthers refuses a namespace in which another NetworkPolicy gives the Pod connections that
// ours does not: what policies allow adds up. Name servers are open to a Pod with a network;
// without one they would be a way out.
func (p *place) findOthers(ctx context.Context) error {
	pod, err := p.look(ctx)
	if err != nil {
		return err
	}
	all, err := ask(ctx, p.client, "list the NetworkPolicies", func(ctx context.Context) (*unstructured.UnstructuredList, error) {
		return p.client.of(policyResource).List(ctx, metav1.ListOptions{Limit: maxListed})
	})
	if isRefused(err) {
		return p.tooOpen("does not let piwork see its NetworkPolicies")
	}
	if err != nil {
		return err
	}
	if all.GetContinue() != "" {
		return p.tooOpen(fmt.Sprintf("has more than %d NetworkPolicies", maxListed))
	}
	for _, o := range all.Items {
		if o.GetName() == p.name || !selects(&o, pod.GetLabels()) {
			continue
		}
		names, more := allows(&o)
		if more || names && p.cfg.network() != vmhost.NetworkAllow {
			return p.tooOpen(fmt.Sprintf("has the NetworkPolicy %.80q, which gives connections to every Pod like those of tasks", o.GetName()))
		}
		p.names = p.names || names
	}
	return nil
}

func (p *place) tooOpen(what string) error {
	return &vmhost.UnsupportedError{
		Runtime: vmhost.KindKubernetes + ":" + p.cfg.Name,
		What:    fmt.Sprintf("the namespace %s %s; choose one of its own for tasks", p.namespace, what),
	}
}

// selects reports whether a policy is about a Pod with these labels; one that cannot be read is.
func selects(policy *unstructured.Unstructured, of map[string]string) bool {
	from, _, _ := unstructured.NestedFieldNoCopy(policy.Object, "spec", "podSelector")
	var s metav1.LabelSelector
	b, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(&s)
	return err != nil || selector.Matches(labels.Set(of))
}

// allows reports whether a policy has rules that open name servers, as online does, and others;
// without a rule it takes away. Rules of a direction that policyTypes leaves out are none.
func allows(policy *unstructured.Unstructured) (names, more bool) {
	types, _, _ := unstructured.NestedStringSlice(policy.Object, "spec", "policyTypes")
	for way, kind := range map[string]string{"egress": "Egress", "ingress": "Ingress"} {
		if len(types) > 0 && !slices.Contains(types, kind) {
			continue
		}
		rules, _, _ := unstructured.NestedFieldNoCopy(policy.Object, "spec", way)
		list, ok := rules.([]any)
		more = more || rules != nil && !ok
		for _, rule := range list {
			only := way == "egress" && opensNames(rule)
			names, more = names || only, more || !only
		}
	}
	return names, more
}

// opensNames reports whether a rule opens nothing but ports of name servers that online opens.
func opensNames(rule any) bool {
	o, _ := rule.(object)
	ports, _ := o["ports"].([]any)
	for _, p := range ports {
		port, _ := p.(object)
		if protocol := port["protocol"]; port["endPort"] != nil || protocol != nil && protocol != "UDP" && protocol != "TCP" {
			return false
		}
		if n := port["port"]; n != int64(53) && (n != int64(5353) || !inCluster(o["to"])) { // a name may be that of any port
			return false
		}
	}
	return len(ports) > 0
}

// inCluster reports whether all to whom a rule opens something are Pods; nobody is everybody.
func inCluster(to any) bool {
	peers, _ := to.([]any)
	for _, p := range peers {
		peer, _ := p.(object)
		if peer["ipBlock"] != nil || peer["namespaceSelector"] == nil && peer["podSelector"] == nil {
			return false
		}
	}
	return len(peers) > 0
}
