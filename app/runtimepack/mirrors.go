package runtimepack

import (
	"iter"

	"piwork/app/runtimepack/updater"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/update"
)

// mirrored is the client of all mirrors of the channel, which can ask each for
// itself: what comes first may come from one that was abandoned.
type mirrored struct {
	*update.Client
	p *Store
	s updater.Settings
}

// Mirrors implements channel.Mirrored.
func (m mirrored) Mirrors() iter.Seq[channel.Fetcher] {
	return func(yield func(channel.Fetcher) bool) {
		all := m.p.mirrorsOf(m.s)
		if len(all) < 2 {
			return // it was asked already
		}
		for _, base := range all {
			if !m.alone(base, yield) {
				return
			}
		}
	}
}

func (m mirrored) alone(base string, yield func(channel.Fetcher) bool) bool {
	one := m.s
	one.URLs = []string{base}
	c, err := m.p.client(one)
	if err != nil {
		m.p.o.Log.Warn("a mirror of the channel is left out", "error", err)
		return true
	}
	defer c.Close()
	return yield(c)
}

// mirrorsOf are the addresses of the channel, best first: those in the settings, or
// those that are compiled in. Without any there is no channel.
func (p *Store) mirrorsOf(s updater.Settings) []string {
	if len(s.URLs) > 0 {
		return s.URLs
	}
	return trust.ChannelURLs(p.trustOptions())
}
