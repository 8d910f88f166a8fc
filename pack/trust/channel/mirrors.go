package channel

import (
	"context"
	"iter"
	"slices"
	"time"
)

// Mirrored is a Fetcher that has several places to fetch from and takes the first
// answer. It cannot tell a good answer from that of a mirror that was abandoned or
// spoilt; [Client.Refresh] can, and then asks each place for itself.
type Mirrored interface {
	Fetcher

	// Mirrors yields each place as a fetcher, best first. One is used only until
	// the next is asked for.
	Mirrors() iter.Seq[Fetcher]
}

// spoils are the kinds of failure that another mirror may not have, the worst
// first: what speaks of an attack before what speaks of neglect.
var spoils = []Kind{
	KindBadSignature, KindWrongContent, KindMalformed, KindTooLarge, KindRollback, KindExpired, KindMissing,
}

func spoilt(err error) bool { return slices.Contains(spoils, KindOf(err)) }

// alone asks each mirror until the answer of one holds. Otherwise the worst failure
// is told, err among them. It returns what ask does.
func (c *Client) alone(ctx context.Context, m Mirrored, err error) (*Release, time.Time, error) {
	var now time.Time
	for from := range m.Mirrors() {
		var r *Release
		var again error
		r, now, again = c.ask(ctx, from)
		switch kind := KindOf(again); {
		case again == nil, kind == KindNotOffered, kind == KindNewerForm: // signed, whatever it says
			return r, now, again
		case spoilt(again) && slices.Index(spoils, kind) < slices.Index(spoils, KindOf(err)):
			err = again
		}
	}
	return nil, now, err
}
