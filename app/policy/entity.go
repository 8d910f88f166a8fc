package policy

import (
	"cmp"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cedar-policy/cedar-go/types"
	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/network/policy"
)

// Types of entities, as the schema has them.
const (
	typePerson  = types.EntityType("Person")
	typeClient  = types.EntityType("Client")
	typeAgent   = types.EntityType("Agent")
	typeDoor    = types.EntityType("Door")
	typeTask    = types.EntityType("Task")
	typePath    = types.EntityType("Path")
	typeHost    = types.EntityType("Host")
	typeProgram = types.EntityType("Program")
	typeKey     = types.EntityType("Key")
	typeRuntime = types.EntityType("Runtime")
	typeAction  = types.EntityType("Action")
)

// you is the id of the person.
const you = "you"

// world has the entities of one request. Of a path and of a host they are made when they
// are asked for: each has one parent.
type world struct {
	principal, resource types.Entity
	made                []types.Entity // of paths and hosts, which many rules ask for
	chain               map[types.EntityUID]struct{}
}

// in reports whether the principal or the resource is an entity, or in it.
func (w *world) in(uid types.EntityUID) bool {
	if w.chain == nil {
		w.chain = make(map[types.EntityUID]struct{}, 16)
		w.add(w.principal.UID)
		w.add(w.resource.UID)
	}
	_, ok := w.chain[uid]
	return ok
}

func (w *world) add(uid types.EntityUID) {
	if _, known := w.chain[uid]; known {
		return
	}
	w.chain[uid] = struct{}{}
	e, _ := w.Get(uid)
	for up := range e.Parents.All() {
		w.add(up)
	}
}

// Get implements types.EntityGetter.
func (w *world) Get(uid types.EntityUID) (types.Entity, bool) {
	switch {
	case uid == w.resource.UID:
		return w.resource, true
	case uid == w.principal.UID:
		return w.principal, true
	}
	if uid.Type != typePath && uid.Type != typeHost {
		return types.Entity{UID: uid}, false
	}
	for i := range w.made {
		if w.made[i].UID == uid {
			return w.made[i], true
		}
	}
	e := types.Entity{UID: uid}
	if up, ok := parent(uid); ok {
		e.Parents = types.NewEntityUIDSet(up)
	}
	w.made = append(w.made, e)
	return e, true
}

// parent is what holds a path or a host.
func parent(uid types.EntityUID) (types.EntityUID, bool) {
	id := string(uid.ID)
	if uid.Type == typeHost {
		if _, err := netip.ParseAddr(id); err == nil {
			return uid, false
		}
		_, rest, ok := strings.Cut(id, ".")
		return types.NewEntityUID(typeHost, types.String(rest)), ok
	}
	up := path.Dir(id)
	if up == id || up == "." || strings.HasPrefix(id, "//") && up == "//" {
		return uid, false
	}
	return types.NewEntityUID(typePath, types.String(up)), true
}

// spelled is an absolute path as paths are compared on a system: with slashes, without
// anything superfluous, and in one spelling where the system knows several. It is "" for a
// path that is not absolute. Links are followed before (realPath).
func spelled(p, system string) string {
	if strings.IndexByte(p, 0) >= 0 {
		return ""
	}
	share := false
	if system == "windows" {
		p = strings.ReplaceAll(p, `\`, "/")
		for _, prefix := range []string{"//?/", "//./"} {
			if rest, ok := strings.CutPrefix(p, prefix); ok {
				if unc, ok := cutFold(rest, "UNC/"); ok {
					rest = "//" + unc
				}
				p = rest
			}
		}
		share = strings.HasPrefix(p, "//")
		drive := len(p) >= 3 && p[1] == ':' && p[2] == '/' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z')
		if !share && !drive {
			return ""
		}
	} else if !strings.HasPrefix(p, "/") {
		return ""
	}
	if p = path.Clean(p); share {
		p = "/" + p
	}
	switch system {
	case "windows":
		parts := strings.Split(p, "/")
		for i, s := range parts {
			parts[i] = strings.TrimRight(s, ". ") // which Windows does not see
		}
		p = folded(strings.Join(parts, "/"))
		if len(p) == 2 { // a drive
			p += "/"
		}
	case "darwin":
		p = folded(norm.NFC.String(p))
	}
	return p
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// folded is a text in which letters that differ in case only are the same.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		low := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			low = min(low, f)
		}
		return unicode.ToLower(low)
	}, s)
}

// real is a path with its links followed, as far as it is there.
func realPath(p string) string {
	p = filepath.Clean(p)
	rest := ""
	for at := p; ; {
		if found, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(found, rest)
		}
		up := filepath.Dir(at)
		if up == at {
			return p
		}
		rest, at = filepath.Join(filepath.Base(at), rest), up
	}
}

// PathID is the id of a path of this computer, "" for one that is not absolute: with slashes, and
// folded where the system does not tell capitals apart.
func PathID(p string) string { return spelled(p, runtime.GOOS) }

// place is a path that rules name.
type place struct {
	id      string // as in the rules that are evaluated
	written string // absolute, before its links were followed
	info    os.FileInfo
}

// moved reports whether the path leads elsewhere by now, or is something else.
func (p place) moved() bool {
	real := realPath(p.written)
	info, err := os.Lstat(real)
	return PathID(real) != p.id || (err == nil) != (p.info != nil) || err == nil && !os.SameFile(p.info, info)
}

// kin are the places that a path is in by what they are, where their spelling does not say
// so. The path has no links.
func kin(p string, places []place) (out []types.EntityUID) {
	for at := filepath.Clean(p); len(places) > 0; at = filepath.Dir(at) {
		out = append(out, same(at, places)...)
		if filepath.Dir(at) == at {
			break
		}
	}
	return out
}

// same are the places that a path is by what it is.
func same(p string, places []place) (out []types.EntityUID) {
	if len(places) == 0 {
		return nil
	}
	info, err := os.Lstat(p)
	if err != nil {
		return nil
	}
	for _, l := range places {
		if l.info != nil && os.SameFile(info, l.info) {
			out = append(out, types.NewEntityUID(typePath, types.String(l.id)))
		}
	}
	return out
}

// nat64 has IPv4 addresses inside (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// hostOf reads a name or an address of a host. Names are in lower case, without the dot at
// their end, international ones in their ASCII form.
func hostOf(s string) (t policy.Target, ok bool) {
	if in, ok := strings.CutPrefix(s, "["); ok {
		s = strings.TrimSuffix(in, "]")
	}
	if a, err := netip.ParseAddr(s); err == nil {
		if a = a.Unmap().WithZone(""); nat64.Contains(a) {
			b := a.As16()
			a = netip.AddrFrom4([4]byte(b[12:]))
		}
		t.Addr = a
		return t, true
	}
	s = strings.TrimSuffix(s, ".")
	if strings.ContainsFunc(s, func(r rune) bool { return r >= unicode.MaxASCII }) {
		ascii, err := idna.Lookup.ToASCII(s)
		if err != nil {
			return t, false
		}
		s = ascii
	}
	name, err := policy.Name(s)
	t.Name = name
	return t, err == nil && name != ""
}

// hostID is the id of a host, "" for what is none.
func hostID(s string) string {
	t, ok := hostOf(s)
	if !ok {
		return ""
	}
	return t.Host()
}

// family is a kind of runtime without the name of one of several.
func family(kind string) string {
	kind, _, _ = strings.Cut(kind, ":")
	return kind
}

var weekdays = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// principal is who acts.
func (r *Request) principal() types.Entity {
	id := cmp.Or(r.Task, "new")
	var parents []types.EntityUID
	if r.Client == "" {
		parents = append(parents, types.NewEntityUID(typePerson, you))
	} else {
		parents = append(parents, types.NewEntityUID(typeClient, types.String(r.Client)))
	}
	if r.Agent != "" {
		parents = append(parents, types.NewEntityUID(typeAgent, types.String(r.Agent)))
	}
	if r.Door != "" {
		parents = append(parents, types.NewEntityUID(typeDoor, types.String(r.Door)))
	}
	kind := cmp.Or(r.Kind, task.KindExec)
	return types.Entity{
		UID: types.NewEntityUID(typeTask, types.String(id)), Parents: types.NewEntityUIDSet(parents...),
		Attributes: types.NewRecord(types.RecordMap{"kind": types.String(kind), "program": types.Boolean(r.Client != "")}),
	}
}

// resource is on what; ok is false for a request without it.
func (r *Request) resource(places []place) (e types.Entity, ok bool) {
	switch r.Action {
	case Read, Write, Delete:
		id := PathID(r.Path)
		if id == "" {
			return e, false
		}
		return pathEntity(id, kin(r.Path, places)), true
	case Connect:
		t, ok := hostOf(r.Host)
		if !ok {
			return e, false
		}
		port := cmp.Or(r.Port, 443)
		attributes := types.RecordMap{"port": types.Long(port), "address": types.Boolean(t.Name == "")}
		if t.Name == "" {
			ip, err := types.ParseIPAddr(t.Addr.String())
			if err != nil {
				return e, false
			}
			attributes["ip"] = ip
		}
		e.UID = types.NewEntityUID(typeHost, types.String(t.Host()))
		if up, ok := parent(e.UID); ok {
			e.Parents = types.NewEntityUIDSet(up)
		}
		e.Attributes = types.NewRecord(attributes)
	case Run:
		kind := cmp.Or(r.RunKind, Program)
		e.UID = types.NewEntityUID(typeProgram, types.String(r.Program))
		e.Attributes = types.NewRecord(types.RecordMap{"kind": types.String(kind)})
		return e, r.Program != ""
	case UseKey:
		e.UID = types.NewEntityUID(typeKey, types.String(r.Key))
		return e, r.Key != ""
	case StartRuntime:
		kind := r.runtime()
		e.UID = types.NewEntityUID(typeRuntime, types.String(kind))
		if f := family(kind); f != kind {
			e.Parents = types.NewEntityUIDSet(types.NewEntityUID(typeRuntime, types.String(f)))
		}
	default:
		return e, false
	}
	return e, true
}

// pathEntity is a path by its id, with the places that it is in by what they are.
func pathEntity(id string, kin []types.EntityUID) (e types.Entity) {
	e.UID = types.NewEntityUID(typePath, types.String(id))
	parents := slices.Clone(kin)
	if up, ok := parent(e.UID); ok {
		parents = append(parents, up)
	}
	parents = slices.DeleteFunc(parents, func(p types.EntityUID) bool { return p == e.UID })
	name := strings.ToLower(path.Base(id))
	e.Parents = types.NewEntityUIDSet(parents...)
	e.Attributes = types.NewRecord(types.RecordMap{"path": types.String(id), "name": types.String(name), "extension": types.String(strings.TrimPrefix(path.Ext(name), "."))})
	return e
}

// runtime is the kind of place, which is a machine where nothing is said.
func (r *Request) runtime() string {
	if r.Runtime == "" {
		return vmhost.KindVM
	}
	return r.Runtime
}

// context are the conditions, all of them: a rule finds each.
func (r *Request) context(now time.Time) types.Record {
	if r.Time != nil {
		now = *r.Time
	}
	or := func(s, usual string) types.String {
		s = cmp.Or(s, usual)
		return types.String(s)
	}
	effects := make([]types.Value, len(r.Effects))
	for i, e := range r.Effects {
		effects[i] = types.String(e)
	}
	isolation, domain := string(r.Isolation), string(r.Domain)
	if r.Runtime == "" || r.Runtime == vmhost.KindVM {
		if isolation == "" {
			isolation = string(vmhost.IsolationHardware)
		}
		if domain == "" {
			domain = string(vmhost.DomainVM)
		}
	}
	return types.NewRecord(types.RecordMap{
		"runtime": types.String(family(r.runtime())), "isolation": or(isolation, string(vmhost.IsolationNone)), "domain": or(domain, string(vmhost.DomainHost)),
		"network": or(string(r.Network), string(task.NetworkOff)), "risk": or(r.Risk, "none"), "about": types.String(r.About),
		"effects": types.NewSet(effects...), "size": types.Long(r.Size), "files": types.Long(r.Files),
		"now": types.NewDatetime(now), "hour": types.Long(now.Hour()), "weekday": types.String(weekdays[now.Weekday()]),
	})
}
