package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"piwork/app/gateway/provider"
)

// A provider can be asked to act by itself: to open an address, to search, to call
// other servers. In a task without a network that would be a way out, past every rule
// about hosts; and providers learn new ways every month. So what a question may have is
// listed, for every protocol (fields.go), and everything else is taken for a wish to
// act. A session allows that by choice only ([SessionOptions].Hosted).

// shape is what a value in a question may be. In a list every member has it.
type shape struct {
	keys  map[string]*shape             // of an object: all there are; nil is no object
	types []string                      // of its "type": all there are, with * at the end for more; "" is none
	plain bool                          // a text, a number, true or false
	own   func(name, value string) bool // what a text may be; nil is any
	free  bool                          // the client's own, of which a provider opens nothing; with keys: but for those
	file  bool                          // a text in base64, of the media type beside it or, as data: URL, in it
}

// listed holds a body against the list: found is the first part that may ask the provider to act
// by itself, "" that none does. A body that could mean different things to different readers is an
// error.
func listed(p provider.Protocol, body []byte) (*walk, error) {
	w := &walk{d: json.NewDecoder(bytes.NewReader(body)), hour: p == provider.Pi} // which keeps it as long as it likes
	w.d.UseNumber()
	err := w.value(questions[p], "", 0)
	return w, err
}

// hostedModel reports models that search the web whatever they are asked.
func hostedModel(name string) bool {
	for _, part := range []string{"search-preview", "search-api", "deep-research", "sonar", "groq/compound", "compound-beta"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return strings.HasSuffix(name, ":online")
}

type walk struct {
	d     *json.Decoder
	at    []string // names of the members that it is in
	found string

	// What the question costs less than its bytes, where nothing was found.
	hour     bool   // it may be kept for an hour
	pictures int64  // bytes of pictures that are no tokens
	last     string // the text that was read last
}

// find notes what is found first. The names are the client's.
func (w *walk) find(is bool, more ...string) {
	if is && w.found == "" {
		w.found = cmp.Or(strings.Join(append(slices.Clone(w.at), more...), "."), "the whole")
	}
}

// value reads the next value, which has a name where it is a member.
func (w *walk) value(s *shape, name string, depth int) error {
	t, err := w.d.Token()
	if err != nil || depth > 200 {
		return errBody
	}
	switch t := t.(type) {
	case nil:
	case json.Delim:
		w.hour = w.hour || name == "ttl"
		if t == '{' {
			return w.object(s, depth)
		}
		for w.d.More() {
			if err := w.value(s, name, depth+1); err != nil {
				return err
			}
		}
		_, err := w.d.Token()
		return err
	case string:
		w.last, w.hour = t, w.hour || name == "ttl" && t != "5m"
		w.find(!s.plain && !s.free || s.own != nil && !s.own(name, t))
	case bool:
		w.find(!s.plain && !s.free && (t || s != never))
	default:
		w.hour = w.hour || name == "ttl"
		w.find(!s.plain && !s.free)
	}
	return nil
}

// picture notes a file that costs no more than a picture does.
func (w *walk) picture(media string, size int) {
	switch strings.ToLower(media) {
	case "image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif":
		w.pictures += max(0, int64(size)-pictureTokens)
	}
}

// object reads the rest of an object.
func (w *walk) object(s *shape, depth int) error {
	w.find(s.keys == nil && !s.free)
	seen := map[string]bool{}
	kind, media, size := "", "", 0
	for w.d.More() {
		t, err := w.d.Token()
		key, ok := t.(string)
		if err != nil || !ok || seen[key] {
			return errBody
		}
		seen[key] = true
		if key == "type" && s.types != nil {
			if kind, err = w.text(); err != nil {
				return err
			}
			continue
		}
		of := s.keys[key]
		switch {
		case of != nil:
		case s.free && s.keys == nil:
			of = s
		default:
			w.find(!s.free, key)
			of = anything // the rest is read, for what would make it ambiguous
		}
		w.at, w.last = append(w.at, key), ""
		err = w.value(of, key, depth+1)
		w.at = w.at[:len(w.at)-1]
		if err != nil {
			return err
		}
		switch url, data := strings.CutPrefix(w.last, "data:"); {
		case key == "mimeType", key == "media_type":
			media = w.last
		case of.file && data:
			of, file, _ := strings.Cut(url, ";base64,")
			w.picture(of, len(file))
			w.last = "" // it may be the only member of one that is a file, too
		case of.file:
			size = len(w.last)
		}
	}
	w.picture(media, size)
	w.find(s.types != nil && !slices.ContainsFunc(s.types, func(t string) bool {
		begin, more := strings.CutSuffix(t, "*")
		return t == kind || more && strings.HasPrefix(kind, begin)
	}), "type", kind)
	_, err := w.d.Token()
	return err
}

// text reads the value of a type; what is no text is none that is known.
func (w *walk) text() (string, error) {
	var raw json.RawMessage
	if err := w.d.Decode(&raw); err != nil {
		return "", errBody
	}
	var s *string
	if json.Unmarshal(raw, &s) != nil || s == nil {
		w.find(true, "type")
		return "", nil
	}
	return *s, nil
}
