package kubernetes

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"piwork/vmhost/network/policy"
	"piwork/vmhost/wire"
)

// What the cluster is asked for.
var (
	podResource     = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	policyResource  = schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"}
	sandboxResource = schema.GroupVersionResource{Group: "agents.x-k8s.io", Version: "v1beta1", Resource: "sandboxes"}
)

// Labels of all that is made.
const (
	labelManager = "app.kubernetes.io/managed-by"
	labelOwner   = "piwork.owner" // Cluster.Owner
	labelPlace   = "piwork.place" // the name
	manager      = "piwork"
)

const (
	namePrefix    = "piwork-" // of all that is made
	containerName = "piwork"
	userID        = 1000 // and group, as in a machine
	home          = "/home/piwork"

	ownDir    = "/piwork"
	agentPath = ownDir + "/guest"
	lifePath  = ownDir + "/life"  // a pipe that whoever runs the agent holds
	beganPath = ownDir + "/began" // is there once the agent was started

	unbegun = 10 * time.Minute // after which a Pod without an agent ends
	oneDay  = 24 * time.Hour   // after which any Pod does
)

// volume is an empty directory of a Pod.
type volume struct{ name, path, size string }

// volumes are all that is not read-only in a Pod.
var volumes = []volume{
	{"work", wire.WorkDir, "8Gi"}, {"tmp", "/tmp", "2Gi"}, {"home", home, "2Gi"}, {"folders", wire.FoldersDir, "8Gi"}, {"state", wire.StateDir, "2Gi"}, {"agent", ownDir, "64Mi"},
}

// writable are the directories in which programs may change files.
var writable = []string{wire.WorkDir, "/tmp", home, wire.FoldersDir, wire.StateDir}

// program is the first process of the Pod: it ends with the agent.
var program = fmt.Sprintf(`mkfifo %[1]s || exit 1; (sleep %[2]d; [ -e %[3]s ] || : >%[1]s) & exec cat %[1]s >/dev/null`, lifePath, int(unbegun.Seconds()), beganPath)

// serve starts the agent; its arguments follow.
var serve = fmt.Sprintf(`: >%[1]s; exec 9>%[2]s; %[3]s serve "$@" 9>&-; exit $?`, beganPath, lifePath, agentPath)

// receive takes the agent: as many bytes as come, compressed, and its digest. One whose connection
// broke may still be at it.
func receive(bytes int, digest string) string {
	return fmt.Sprintf(`umask 077; i=0; while [ ! -p %[1]s ]; do i=$((i+1)); [ $i -le 300 ] || exit 1; sleep 0.1; done; `+
		`head -c %[3]d | gzip -dc >%[2]s.$$ && [ "$(sha256sum <%[2]s.$$)" = "%[4]s  -" ] && chmod 500 %[2]s.$$ && mv %[2]s.$$ %[2]s && echo sent`,
		lifePath, agentPath, bytes, digest)
}

// arrangement is what a Pod is put together of.
type arrangement struct {
	name, namespace, owner string
	image                  string
	arch                   string // as Kubernetes names it
	memoryMB, cpus         int    // that it may use; 0 is as usual
}

type object = map[string]any

func (a arrangement) metadata() object {
	return object{"name": a.name, "namespace": a.namespace, "labels": a.labels()}
}

func (a arrangement) labels() object {
	return object{labelManager: manager, labelOwner: a.owner, labelPlace: a.name}
}

// pod is one without a Sandbox.
func (a arrangement) pod() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{"apiVersion": "v1", "kind": "Pod", "metadata": a.metadata(), "spec": a.podSpec()}}
}

// sandbox is one that makes the Pod, and goes by itself at the end.
func (a arrangement) sandbox(now time.Time) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object{
		"apiVersion": sandboxResource.GroupVersion().String(), "kind": "Sandbox", "metadata": a.metadata(),
		"spec": object{
			"podTemplate":  object{"metadata": object{"labels": a.labels()}, "spec": a.podSpec()},
			"service":      false,
			"shutdownTime": now.Add(oneDay).UTC().Format(time.RFC3339), "shutdownPolicy": "Delete",
		},
	}}
}

// policy allows the Pod no connection, until online is added to it; it goes with its owner.
func (a arrangement) policy(owner *unstructured.Unstructured) *unstructured.Unstructured {
	m := a.metadata()
	m["ownerReferences"] = []any{object{"apiVersion": owner.GetAPIVersion(), "kind": owner.GetKind(), "name": owner.GetName(), "uid": string(owner.GetUID())}}
	return &unstructured.Unstructured{Object: object{
		"apiVersion": policyResource.GroupVersion().String(), "kind": "NetworkPolicy", "metadata": m,
		"spec": object{"podSelector": object{"matchLabels": object{labelPlace: a.name}}, "policyTypes": []any{"Ingress", "Egress"}},
	}}
}

// online is what a policy has for a Pod with a network: public addresses, and name servers,
// which are the cluster's own. Theirs is port 53, or 5353 behind OpenShift's service. Port 53 is
// open at every address: a name server may be at the node, and with Cloud DNS of GKE it is at
// 169.254.169.254, whose metadata are on port 80.
func online() object {
	var blocks []any
	for _, b := range policy.Public() {
		except := []any{}
		for _, p := range b.Except {
			except = append(except, p.String())
		}
		blocks = append(blocks, object{"ipBlock": object{"cidr": b.Prefix.String(), "except": except}})
	}
	ports := func(n int64) []any {
		return []any{object{"protocol": "UDP", "port": n}, object{"protocol": "TCP", "port": n}}
	}
	return object{"spec": object{"egress": []any{
		object{"to": blocks}, object{"ports": ports(53)}, object{"to": []any{object{"namespaceSelector": object{}}}, "ports": ports(5353)},
	}}}
}

func (a arrangement) podSpec() object {
	var made, mounts []any
	for _, v := range volumes {
		made = append(made, object{"name": v.name, "emptyDir": object{"sizeLimit": v.size}})
		mounts = append(mounts, object{"name": v.name, "mountPath": v.path})
	}
	spec := object{
		"restartPolicy": "Never", "activeDeadlineSeconds": int64(oneDay.Seconds()), "terminationGracePeriodSeconds": int64(1),
		"automountServiceAccountToken": false, "enableServiceLinks": false, "hostname": "piwork",
		"nodeSelector": object{"kubernetes.io/os": "linux", "kubernetes.io/arch": a.arch},
		"volumes":      made,
		"containers": []any{object{
			"name": containerName, "image": a.image, "imagePullPolicy": "IfNotPresent",
			"command": []any{"/bin/sh", "-c", program}, "workingDir": "/", "volumeMounts": mounts,
			"resources": object{
				"requests": object{"cpu": "100m", "memory": "256Mi", "ephemeral-storage": "256Mi"},
				"limits":   a.limits(),
			},
		}},
	}
	apart := apart()
	spec["securityContext"], spec["containers"].([]any)[0].(object)["securityContext"] = apart.pod, apart.container
	return spec
}

// limits are how much all programs of a Pod may use together.
func (a arrangement) limits() object {
	return object{"cpu": strconv.Itoa(cmp.Or(a.cpus, 2)), "memory": memory(a.memoryMB), "ephemeral-storage": "16Gi"}
}

// memory is an amount as Kubernetes writes it. No limit may be below the request.
func memory(mb int) string {
	if mb == 0 {
		return "2Gi"
	}
	return strconv.Itoa(mb) + "Mi"
}

// security is what a Pod and its container are allowed.
type security struct{ pod, container object }

func apart() security {
	return security{
		object{"runAsNonRoot": true, "runAsUser": int64(userID), "runAsGroup": int64(userID), "fsGroup": int64(userID), "seccompProfile": object{"type": "RuntimeDefault"}},
		object{"runAsNonRoot": true, "privileged": false, "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": object{"drop": []any{"ALL"}}},
	}
}

// check reports what is not as in the arrangement about a Pod that the cluster made.
func (a arrangement) check(p *unstructured.Unstructured) error {
	if p.GetKind() != "Pod" || p.GetName() != a.name || p.GetNamespace() != a.namespace || p.GetUID() == "" || p.GetLabels()[labelPlace] != a.name {
		return fmt.Errorf("the cluster answers with another Pod: %.80q", p.GetName())
	}
	spec, _, _ := unstructured.NestedMap(p.Object, "spec")
	for _, ns := range []string{"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"} {
		if spec[ns] == true {
			return fmt.Errorf("the cluster gave the Pod %s", ns)
		}
	}
	if spec["automountServiceAccountToken"] != false {
		return errors.New("the cluster gave the Pod the token of a service account")
	}
	all, _ := spec["containers"].([]any)
	at := slices.IndexFunc(all, func(c any) bool { c2, ok := c.(object); return ok && c2["name"] == containerName })
	if at < 0 {
		return errors.New("the cluster left the container out of the Pod")
	}
	want, got := apart(), all[at].(object)
	if !within(want.pod, spec["securityContext"]) || !within(want.container, got["securityContext"]) {
		return errors.New("the cluster changed what the Pod may do (securityContext)")
	}
	for _, c := range []struct{ want, got any }{{want.pod, spec["securityContext"]}, {want.container, got["securityContext"]}} {
		if name := added(c.want.(object), c.got.(object)); name != "" {
			return fmt.Errorf("the cluster changed what the Pod may do (securityContext: %.80s)", name)
		}
	}
	if profile, ok := p.GetAnnotations()[appArmorNote]; ok && profile != "runtime/default" { // before Kubernetes 1.30
		return fmt.Errorf("the cluster changed what the Pod may do (AppArmor: %.80q)", profile)
	}
	if added, _, _ := unstructured.NestedSlice(got, "securityContext", "capabilities", "add"); len(added) > 0 {
		return errors.New("the cluster gave the Pod capabilities")
	}
	if err := checkMounts(list(p, "spec", "volumes"), &unstructured.Unstructured{Object: got}); err != nil {
		return err
	}
	return a.checkLimits(got)
}

// appArmorNote is how AppArmor was set before there was a field for it.
const appArmorNote = "container.apparmor.security.beta.kubernetes.io/" + containerName

// usual is what a cluster may say of a securityContext besides what was asked for: what is so
// without it, and what takes rights away.
var usual = map[string][]any{
	"seccompProfile": {object{"type": "RuntimeDefault"}}, "appArmorProfile": {object{"type": "RuntimeDefault"}}, "procMount": {"Default"},
	"runAsUser": {int64(userID)}, "runAsGroup": {int64(userID)}, "supplementalGroups": {[]any{}}, "sysctls": {[]any{}},
	"supplementalGroupsPolicy": {"Merge", "Strict"}, "fsGroupChangePolicy": {"OnRootMismatch", "Always"}, "seLinuxChangePolicy": {"Recursive", "MountOption"},
}

// added is something in got that nobody asked for, and that is not usual. The container's
// overrides the Pod's. OpenShift gives each namespace a level of SELinux.
func added(want, got object) string {
	for _, name := range slices.Sorted(maps.Keys(got)) {
		value := got[name]
		if _, asked := want[name]; asked || value == nil || slices.ContainsFunc(usual[name], func(u any) bool { return reflect.DeepEqual(u, value) }) {
			continue
		}
		if o, ok := value.(object); ok && name == "seLinuxOptions" && len(o) == 1 && o["level"] != nil {
			continue
		}
		return name
	}
	return ""
}

// checkMounts reports a mount of the container that is none of volumes, and a volume of ours
// that is larger: an admission webhook adds tokens of a cloud, Secrets and directories of the
// node. What other containers mount, and variables, which clouds add too, are not compared.
func checkMounts(made []object, container *unstructured.Unstructured) error {
	kinds := map[string]string{}
	for _, v := range made {
		name := text(v, "name")
		delete(v, "name")
		kinds[name] = strings.Join(slices.Sorted(maps.Keys(v)), " ")
		for _, want := range volumes {
			size, _, _ := unstructured.NestedFieldNoCopy(v, "emptyDir", "sizeLimit")
			if want.name == name && kinds[name] == "emptyDir" && exceeds(size, want.size) {
				return changedLimit(want.path, size, want.size)
			}
		}
	}
	for _, m := range list(container, "volumeMounts") {
		name, path := text(m, "name"), text(m, "mountPath")
		asked := slices.ContainsFunc(volumes, func(v volume) bool { return v.name == name && v.path == path })
		if !asked || kinds[name] != "emptyDir" {
			return fmt.Errorf("the cluster gave the container a mount that was not asked for: %.80q (%.40s) at %.200q", name, kinds[name], path)
		}
	}
	if disks := list(container, "volumeDevices"); len(disks) > 0 {
		return fmt.Errorf("the cluster gave the container a disk that was not asked for: %.80q", text(disks[0], "name"))
	}
	return nil
}

// checkLimits reports a limit of the container that is missing, or larger than asked for.
func (a arrangement) checkLimits(container object) error {
	got, _, _ := unstructured.NestedMap(container, "resources", "limits")
	want := a.limits()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if most := text(want, name); exceeds(got[name], most) {
			return changedLimit(name, got[name], most)
		}
	}
	return nil
}

func changedLimit(of string, got any, want string) error {
	if got == nil {
		got = "none"
	}
	return fmt.Errorf("the cluster changed the limit of %s to %.40v, from %s", of, got, want)
}

// exceeds reports whether an amount is larger than most, or no limit: missing, 0 or no
// amount. A cluster may write it otherwise (2000m for 2). One with an exponent counts as
// larger: a comparison would write out all digits of 1e999999999.
func exceeds(got any, most string) bool {
	s := fmt.Sprint(got)
	if len(s) > 40 || strings.ContainsAny(s, "eE") {
		return true
	}
	is, err := resource.ParseQuantity(s)
	return err != nil || is.Sign() <= 0 || is.Cmp(resource.MustParse(most)) > 0
}

// within reports whether got has all that want has.
func within(want, got any) bool {
	w, is := want.(object)
	if !is {
		return reflect.DeepEqual(want, got)
	}
	g, _ := got.(object)
	for key, value := range w {
		if !within(value, g[key]) {
			return false
		}
	}
	return true
}
