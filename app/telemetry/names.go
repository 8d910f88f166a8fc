package telemetry

import (
	"slices"
	"strings"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"

	"piwork/app/task"
	"piwork/pack/tools"
	"piwork/vmhost"
)

// Keys of attributes. Those of gen_ai are OpenTelemetry's, which may still change them: they
// are held here and not imported.
const (
	keyOperation = attribute.Key("operation")
	keyStatus    = attribute.Key("status")
	keyReason    = attribute.Key("reason")
	keyCaller    = attribute.Key("caller")
	keyKind      = attribute.Key("kind")
	keyOutcome   = attribute.Key("outcome")
	keyRuntime   = attribute.Key("runtime")
	keyIsolation = attribute.Key("isolation")
	keyWay       = attribute.Key("way")
	keyResult    = attribute.Key("result")
	keyQueue     = attribute.Key("queue")
	keyAction    = attribute.Key("action")
	keyClass     = attribute.Key("class")
	keyDirection = attribute.Key("direction")
	keySignal    = attribute.Key("signal")

	keyTask    = attribute.Key("piwork.task.id")
	keyRequest = attribute.Key("piwork.request.id")
	keyInside  = attribute.Key("piwork.inside.ms") // that a machine says it worked

	keyGenAI    = attribute.Key("gen_ai.operation.name")
	keyProvider = attribute.Key("gen_ai.provider.name")
	keyModel    = attribute.Key("gen_ai.request.model")
	keyTokens   = attribute.Key("gen_ai.token.type")
	keyInput    = attribute.Key("gen_ai.usage.input_tokens")
	keyOutput   = attribute.Key("gen_ai.usage.output_tokens")
)

// Other stands for what is in none of the closed sets.
const Other = "other"

// closed are the values of attributes that come from more than one place.
var closed = map[attribute.Key][]string{
	keyKind:      {string(task.KindChore), string(task.KindAI), string(task.KindExec), string(task.KindTool)},
	keyOutcome:   {"ok", "failed", string(task.StateDone), string(task.StateFailed), string(task.StateCancelled)},
	keyRuntime:   {vmhost.KindVM, vmhost.KindSandbox, vmhost.KindContainer, vmhost.KindRemote, vmhost.KindHost, vmhost.KindKubernetes},
	keyIsolation: {string(vmhost.IsolationHardware), string(vmhost.IsolationEmulated), string(vmhost.IsolationNamespace), string(vmhost.IsolationNone)},
}

// word is an attribute with a value of a closed set.
func word[T ~string](key attribute.Key, value T) attribute.KeyValue {
	v := string(value)
	if key == keyRuntime {
		v, _, _ = strings.Cut(v, ":") // before the name of one of several
	}
	if !slices.Contains(closed[key], v) {
		v = Other
	}
	return key.String(v)
}

// id is an attribute with a random id, none where it is something else: a client chooses its own.
func id(key attribute.Key, value string) attribute.KeyValue {
	if u, err := uuid.Parse(value); err != nil || u.String() != value || u.Version() != 4 && u.Version() != 7 {
		return attribute.KeyValue{}
	}
	return key.String(value)
}

// outcome is that of something that ended with an error, or did not.
func outcome(err error) attribute.KeyValue {
	if err != nil {
		return keyOutcome.String("failed")
	}
	return keyOutcome.String("ok")
}

// actionOf is what an action is, and its operation.
func actionOf(a vmhost.Action) (action, operation string) {
	switch {
	case a.Exec != nil:
		return "exec", "execute"
	case a.Tool != nil:
		if _, known := tools.Find(a.Tool.Op); known {
			return "tool", a.Tool.Op
		}
		return "tool", Other
	case a.File != nil:
		return "file", "file"
	case a.Fetch != nil:
		return "fetch", "fetch"
	case a.Page != nil:
		return "page", "page"
	}
	return Other, Other
}

// ways are how a machine can begin, by what it says itself (vm.How…).
var ways = map[string]string{"booted": "cold", "restored": "template", "waited": "warm"}

// wayOf is how a place began: "plain" where there is but one way.
func wayOf(rt vmhost.Runtime) string {
	m, ok := rt.(interface{ How() string })
	if !ok {
		return "plain"
	}
	if way := ways[m.How()]; way != "" {
		return way
	}
	return Other
}

// classOf is the class of a status of HTTP.
func classOf(status int) string {
	if status < 100 || status > 599 {
		return Other
	}
	return string(rune('0'+status/100)) + "xx"
}

// refusals are why a request was refused before its operation was asked.
var refusals = map[int]string{401: "token", 403: "forbidden", 413: "too-large", 415: "media", 421: "host", 429: "too-many"}
