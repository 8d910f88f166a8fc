package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/trust/channel"
)

// ChannelRootFile is the name of a developer's root.json in the config directory:
// the root of trust of a channel of their own.
const ChannelRootFile = "channel-root.json"

// ChannelAddressFile is the file beside the root that is compiled in, with the
// addresses of its channel.
const ChannelAddressFile = "channel"

// maxRootFile bounds a root.json, in bytes.
const maxRootFile = 128 << 10

// ErrNoChannel says that there is no root of trust, and so no update channel.
var ErrNoChannel = errors.New("this program follows no update channel")

// ChannelRoot returns the root that [channel.Open] wants: a developer's own when
// o.Developer is set and there is one, else the one compiled in (keys/root.json),
// else [ErrNoChannel].
func ChannelRoot(o Options) ([]byte, error) {
	root, _, err := channelRoot(o.built(), o)
	return root, err
}

// ChannelURLs returns the addresses of the channel that are compiled in
// (keys/channel: one a line, best first, "#" begins a comment); none without that
// file.
func ChannelURLs(o Options) []string {
	data, err := fs.ReadFile(o.built(), "keys/"+ChannelAddressFile)
	if err != nil {
		return nil
	}
	var urls []string
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		urls = append(urls, strings.Fields(line)...)
	}
	return urls
}

// channelRoot also says who answers for the root, and for what it vouches for.
func channelRoot(fsys fs.FS, o Options) ([]byte, Kind, error) {
	if o.Developer {
		data, err := readBounded(filepath.Join(o.ConfigDir, ChannelRootFile), maxRootFile)
		if err == nil {
			return data, Developer, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, "", fmt.Errorf("read the root of the developer's channel: %w", err)
		}
	}
	data, err := fs.ReadFile(fsys, "keys/root.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", ErrNoChannel
	}
	if err != nil {
		return nil, "", fmt.Errorf("read the root of the update channel: %w", err)
	}
	return data, Release, nil
}

// ChannelList returns what the update channel says about keys and versions, as far
// as it is known here (channel.Keys). Without a channel it is an empty list.
func ChannelList(o Options) (*channel.KeyList, error) {
	l, _, err := channelList(o)
	return l, err
}

// channelList also says who answers for the keys in it.
func channelList(o Options) (*channel.KeyList, Kind, error) {
	if o.ChannelDir == "" {
		return &channel.KeyList{}, "", nil
	}
	root, kind, err := channelRoot(o.built(), o)
	if errors.Is(err, ErrNoChannel) {
		return &channel.KeyList{}, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	l, err := channel.Keys(root, o.ChannelDir)
	if err != nil {
		return nil, "", fmt.Errorf("keys of the update channel: %w", err)
	}
	return l, kind, nil
}

// channelKeys returns the keys that the update channel added and revoked.
func channelKeys(o Options) ([]Key, []Revocation, error) {
	list, kind, err := channelList(o)
	if err != nil {
		return nil, nil, err
	}
	var keys []Key
	for _, k := range list.Signing {
		parsed, err := ParseKeys([]byte(k.PEM), kind, k.Name)
		if err != nil {
			return nil, nil, fmt.Errorf("key %s of the update channel: %w", k.Name, err)
		}
		keys = append(keys, parsed...)
	}
	var revoked []Revocation
	for _, r := range list.Revoked {
		revoked = append(revoked, Revocation{ID: r.ID, Reason: r.Reason})
	}
	return keys, revoked, nil
}

// merge adds keys that are not there yet. Names only tell keys apart for people:
// one that is taken gets the beginning of its id, so that two lists that name
// their keys alike cannot keep the program from starting.
func merge(keys, added []Key) []Key {
	for _, k := range added {
		if slices.ContainsFunc(keys, func(o Key) bool { return o.ID == k.ID }) {
			continue
		}
		if slices.ContainsFunc(keys, func(o Key) bool { return o.Name == k.Name }) {
			k.Name = k.Name[:min(len(k.Name), 40)] + "-" + k.ID[:16]
		}
		keys = append(keys, k)
	}
	return keys
}
