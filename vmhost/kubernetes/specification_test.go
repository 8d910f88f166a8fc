package kubernetes

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var example = arrangement{name: "piwork-example", namespace: "tasks", owner: "owner0000", image: "registry.example/tools:1", arch: "amd64"}

// What a cluster is asked for is what testdata has. PIWORK_TEST_WRITE=1 writes it anew.
func TestSpecification(t *testing.T) {
	pod := example.pod()
	pod.SetUID("u-1")
	for name, o := range map[string]*unstructured.Unstructured{
		"pod": example.pod(), "sandbox": example.sandbox(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), "policy": example.policy(pod), "online": {Object: online()},
	} {
		got, err := json.MarshalIndent(o.Object, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		file := "testdata/" + name + ".json"
		if os.Getenv("PIWORK_TEST_WRITE") != "" {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is %s", file, got)
		}
	}
}

// The size that was chosen for a task is that of the Pod.
func TestSize(t *testing.T) {
	large := example
	large.memoryMB, large.cpus = 5000, 3
	c, _, _ := unstructured.NestedSlice(large.pod().Object, "spec", "containers")
	if got, _, _ := unstructured.NestedMap(c[0].(object), "resources", "limits"); got["memory"] != "5000Mi" || got["cpu"] != "3" {
		t.Errorf("%v", got)
	}
}

// madeBy is the Pod as a cluster would have it, with a change.
func madeBy(change func(spec, container object)) *unstructured.Unstructured {
	pod := example.pod().DeepCopy()
	pod.SetUID("u-1")
	spec := pod.Object["spec"].(object)
	container := spec["containers"].([]any)[0].(object)
	spec["dnsPolicy"], container["terminationMessagePath"] = "ClusterFirst", "/dev/termination-log" // defaults
	change(spec, container)
	return pod
}

// mounted has the container have another volume of the Pod.
func mounted(spec, container, volume object, path string) {
	spec["volumes"] = append(spec["volumes"].([]any), volume)
	mount(container, volume["name"].(string), path)
}

func mount(container object, name, path string) {
	container["volumeMounts"] = append(container["volumeMounts"].([]any), object{"name": name, "mountPath": path, "readOnly": true})
}

func limits(container object) object { return container["resources"].(object)["limits"].(object) }

// A Pod that may more than was asked for is noticed, and what a cluster adds otherwise is
// not minded.
func TestCheck(t *testing.T) {
	for name, row := range map[string]struct {
		change func(spec, container object)
		says   string // "" for nothing
	}{
		"as asked for": {func(object, object) {}, ""},
		"a sidecar": {func(s, _ object) {
			s["containers"] = append([]any{object{"name": "proxy"}}, s["containers"].([]any)...)
		}, ""},
		"the node's network":   {func(s, _ object) { s["hostNetwork"] = true }, "hostNetwork"},
		"the node's processes": {func(s, _ object) { s["hostPID"] = true }, "hostPID"},
		"the node's memory":    {func(s, _ object) { s["hostIPC"] = true }, "hostIPC"},
		"a token":              {func(s, _ object) { s["automountServiceAccountToken"] = true }, "token"},
		"perhaps a token":      {func(s, _ object) { delete(s, "automountServiceAccountToken") }, "token"},
		"root":                 {func(s, _ object) { s["securityContext"].(object)["runAsUser"] = int64(0) }, "securityContext"},
		"no filter":            {func(s, _ object) { delete(s["securityContext"].(object), "seccompProfile") }, "securityContext"},
		"new rights":           {func(_, c object) { c["securityContext"].(object)["allowPrivilegeEscalation"] = true }, "securityContext"},
		"privileged":           {func(_, c object) { c["securityContext"].(object)["privileged"] = true }, "securityContext"},
		"a root to write":      {func(_, c object) { c["securityContext"].(object)["readOnlyRootFilesystem"] = false }, "securityContext"},
		"capabilities": {func(_, c object) {
			c["securityContext"].(object)["capabilities"].(object)["add"] = []any{"SYS_ADMIN"}
		}, "capabilities"},
		"the others' processes": {func(s, _ object) { s["shareProcessNamespace"] = true }, "shareProcessNamespace"},
		"its own processes":     {func(s, _ object) { s["shareProcessNamespace"] = false }, ""},
		"no filter, of the container's own": {func(_, c object) {
			c["securityContext"].(object)["seccompProfile"] = object{"type": "Unconfined"}
		}, "seccompProfile"},
		"no AppArmor":       {func(_, c object) { c["securityContext"].(object)["appArmorProfile"] = object{"type": "Unconfined"} }, "appArmorProfile"},
		"all of /proc":      {func(_, c object) { c["securityContext"].(object)["procMount"] = "Unmasked" }, "procMount"},
		"another SELinux":   {func(s, _ object) { s["securityContext"].(object)["seLinuxOptions"] = object{"type": "spc_t"} }, "seLinuxOptions"},
		"root, of its own":  {func(_, c object) { c["securityContext"].(object)["runAsUser"] = int64(0) }, "runAsUser"},
		"the group of root": {func(_, c object) { c["securityContext"].(object)["runAsGroup"] = int64(0) }, "runAsGroup"},
		"more groups":       {func(s, _ object) { s["securityContext"].(object)["supplementalGroups"] = []any{int64(0)} }, "supplementalGroups"},
		"settings of the kernel": {func(s, _ object) {
			s["securityContext"].(object)["sysctls"] = []any{object{"name": "kernel.msgmax", "value": "1"}}
		}, "sysctls"},
		"what is new":       {func(_, c object) { c["securityContext"].(object)["newer"] = true }, "newer"},
		"OpenShift's level": {func(s, _ object) { s["securityContext"].(object)["seLinuxOptions"] = object{"level": "s0:c27,c14"} }, ""},
		"what is so anyway": {func(_, c object) {
			maps.Copy(c["securityContext"].(object), object{
				"seccompProfile": object{"type": "RuntimeDefault"}, "appArmorProfile": object{"type": "RuntimeDefault"}, "procMount": "Default", "runAsUser": int64(userID),
			})
		}, ""},
		"the token of a cloud": {func(s, c object) {
			mounted(s, c, object{"name": "aws-token", "projected": object{"sources": []any{object{"serviceAccountToken": object{"path": "token"}}}}}, "/var/run/secrets/eks.amazonaws.com/serviceaccount")
		}, `"aws-token" (projected) at "/var/run/secrets/eks.amazonaws.com/serviceaccount"`},
		"a secret": {func(s, c object) {
			mounted(s, c, object{"name": "keys", "secret": object{"secretName": "keys"}}, "/keys")
		}, `"keys" (secret) at "/keys"`},
		"the node's files":       {func(s, c object) { mounted(s, c, object{"name": "node", "hostPath": object{"path": "/"}}, "/node") }, `"node" (hostPath) at "/node"`},
		"another empty volume":   {func(s, c object) { mounted(s, c, object{"name": "more", "emptyDir": object{}}, "/more") }, `"more" (emptyDir) at "/more"`},
		"a volume that is ours":  {func(_, c object) { mount(c, "work", "/usr") }, `"work" (emptyDir) at "/usr"`},
		"a volume that was ours": {func(s, _ object) { s["volumes"].([]any)[0] = object{"name": "work", "hostPath": object{"path": "/"}} }, `"work" (hostPath) at "/work"`},
		"a volume without a size": {func(s, _ object) {
			s["volumes"].([]any)[0] = object{"name": "work", "emptyDir": object{}}
		}, "/work to none, from 8Gi"},
		"a larger volume": {func(s, _ object) { s["volumes"].([]any)[0].(object)["emptyDir"].(object)["sizeLimit"] = "80Gi" }, "/work to 80Gi, from 8Gi"},
		"a disk":          {func(_, c object) { c["volumeDevices"] = []any{object{"name": "disk", "devicePath": "/dev/x"}} }, `"disk"`},
		"a volume for others": {func(s, _ object) {
			s["volumes"] = append(s["volumes"].([]any), object{"name": "proxy", "projected": object{}})
		}, ""},
		"variables":            {func(_, c object) { c["env"] = []any{object{"name": "AWS_REGION", "value": "x"}} }, ""},
		"no limits":            {func(_, c object) { delete(c["resources"].(object), "limits") }, "cpu to none, from 2"},
		"no resources":         {func(_, c object) { delete(c, "resources") }, "cpu to none, from 2"},
		"no limit of memory":   {func(_, c object) { delete(limits(c), "memory") }, "memory to none, from 2Gi"},
		"zero, which is none":  {func(_, c object) { limits(c)["memory"] = "0" }, "memory to 0, from 2Gi"},
		"more memory":          {func(_, c object) { limits(c)["memory"] = "2049Mi" }, "memory to 2049Mi, from 2Gi"},
		"more processors":      {func(_, c object) { limits(c)["cpu"] = "2001m" }, "cpu to 2001m, from 2"},
		"more disk":            {func(_, c object) { limits(c)["ephemeral-storage"] = "1Ti" }, "ephemeral-storage to 1Ti, from 16Gi"},
		"an amount of nothing": {func(_, c object) { limits(c)["cpu"] = "many" }, "cpu to many, from 2"},
		"an endless amount":    {func(_, c object) { limits(c)["cpu"] = "1.5e-999999999" }, "cpu to 1.5e-999999999, from 2"},
		"limits in other words": {func(_, c object) {
			maps.Copy(limits(c), object{"cpu": "2000m", "memory": "2147483648", "ephemeral-storage": "16384Mi"})
		}, ""},
		"limits as numbers": {func(_, c object) { limits(c)["cpu"] = int64(2) }, ""},
		"less":              {func(_, c object) { maps.Copy(limits(c), object{"cpu": "500m", "memory": "1Gi"}) }, ""},
		"more requests":     {func(_, c object) { c["resources"].(object)["requests"].(object)["cpu"] = "2" }, ""},
		"another amount":    {func(_, c object) { limits(c)["vpc.amazonaws.com/pod-eni"] = "1" }, ""},

		"nothing of it":   {func(_, c object) { delete(c, "securityContext") }, "securityContext"},
		"no container":    {func(s, _ object) { s["containers"] = []any{} }, "container"},
		"nonsense":        {func(s, _ object) { s["containers"] = "x" }, "container"},
		"other container": {func(_, c object) { c["name"] = "other" }, "container"},
	} {
		err := example.check(madeBy(row.change))
		if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*unstructured.Unstructured){
		"name": func(p *unstructured.Unstructured) { p.SetName("piwork-other") }, "namespace": func(p *unstructured.Unstructured) { p.SetNamespace("other") },
		"uid": func(p *unstructured.Unstructured) { p.SetUID("") }, "labels": func(p *unstructured.Unstructured) { p.SetLabels(nil) }, "kind": func(p *unstructured.Unstructured) { p.SetKind("Node") },
		"AppArmor": func(p *unstructured.Unstructured) {
			p.SetAnnotations(map[string]string{"container.apparmor.security.beta.kubernetes.io/" + containerName: "unconfined"})
		},
	} {
		p := madeBy(func(object, object) {})
		if change(p); example.check(p) == nil {
			t.Errorf("another %s", name)
		}
	}
}

// Only what names a cluster is one.
func TestClusterCheck(t *testing.T) {
	good := Cluster{Context: "lab", Namespace: "tasks", Image: "registry.example:5000/a/b@sha256:0123", Owner: "owner0000"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*Cluster){
		func(c *Cluster) { c.Context = "" }, func(c *Cluster) { c.Context = strings.Repeat("x", 301) }, func(c *Cluster) { c.Namespace = "../x" },
		func(c *Cluster) { c.Namespace = "A" }, func(c *Cluster) { c.Image = "" }, func(c *Cluster) { c.Image = "-x" }, func(c *Cluster) { c.Image = "a b" },
		func(c *Cluster) { c.Owner = "a=b,c" }, func(c *Cluster) { c.Owner = "" },
	} {
		c := good
		if change(&c); c.Check() == nil {
			t.Errorf("%+v", c)
		}
	}
}

// Of what other policies allow, only the ports of name servers are told apart: as far as online
// opens them.
func TestOpensNames(t *testing.T) {
	const nothing, names, more = "", "names", "more"
	for name, tt := range map[string]struct{ spec, want string }{
		"nothing":                   {`{"policyTypes": ["Ingress", "Egress"], "egress": []}`, nothing},
		"a way that does not count": {`{"policyTypes": ["Ingress"], "egress": [{}]}`, nothing},
		"everything":                {`{"egress": [{}]}`, more},
		"no rules that are":         {`{"egress": "all"}`, more},
		"who gets in":               {`{"ingress": [{"ports": [{"port": 53}]}]}`, more},
		"name servers":              {`{"egress": [{"ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]}]}`, names},
		"some of them":              {`{"egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}], "ports": [{"port": 53}]}]}`, names},
		"those of OpenShift":        {`{"egress": [{"to": [{"namespaceSelector": {}}], "ports": [{"port": 53}, {"protocol": "UDP", "port": 5353}]}]}`, names},
		"5353 of everybody":         {`{"egress": [{"ports": [{"port": 5353}]}]}`, more},
		"5353 of an address":        {`{"egress": [{"to": [{"podSelector": {}}, {"ipBlock": {"cidr": "10.0.0.0/8"}}], "ports": [{"port": 5353}]}]}`, more},
		"another rule":              {`{"egress": [{"ports": [{"port": 53}]}, {"ports": [{"port": 443}]}]}`, names + more},
		"another port":              {`{"egress": [{"ports": [{"port": 53}, {"port": 443}]}]}`, more},
		"ports from that on":        {`{"egress": [{"ports": [{"port": 53, "endPort": 9999}]}]}`, more},
		"another protocol":          {`{"egress": [{"ports": [{"protocol": "SCTP", "port": 53}]}]}`, more},
		"a port by name":            {`{"egress": [{"ports": [{"protocol": "UDP", "port": "dns"}]}]}`, more},
		"every port":                {`{"egress": [{"ports": [{"protocol": "UDP"}]}]}`, more},
		"no ports that are":         {`{"egress": [{"ports": [53]}]}`, more},
	} {
		var p unstructured.Unstructured
		if err := p.UnmarshalJSON([]byte(`{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "spec": ` + tt.spec + `}`)); err != nil {
			t.Fatal(err)
		}
		got := ""
		opens, others := allows(&p)
		if opens {
			got = names
		}
		if others {
			got += more
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
