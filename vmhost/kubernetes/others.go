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

// findOthers refuses a namespace in which another NetworkPolicy gives the Pod connections: what
// policies allow adds up, so that ours, which allows nothing, takes nothing of that away.
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
		if o.GetName() != p.name && selects(&o, pod.GetLabels()) && allows(&o) {
			return p.tooOpen(fmt.Sprintf("has the NetworkPolicy %.80q, which gives connections to every Pod like those of tasks", o.GetName()))
		}
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

// allows reports whether a policy has a rule; without one it takes away. Rules of a direction that
// policyTypes leaves out are none.
func allows(policy *unstructured.Unstructured) bool {
	types, _, _ := unstructured.NestedStringSlice(policy.Object, "spec", "policyTypes")
	for way, kind := range map[string]string{"egress": "Egress", "ingress": "Ingress"} {
		if len(types) > 0 && !slices.Contains(types, kind) {
			continue
		}
		rules, there, _ := unstructured.NestedFieldNoCopy(policy.Object, "spec", way)
		if list, ok := rules.([]any); there && rules != nil && (!ok || len(list) > 0) {
			return true
		}
	}
	return false
}
