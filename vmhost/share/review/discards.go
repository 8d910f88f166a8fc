package review

import (
	"context"

	"piwork/vmhost/share/journal"
)

// Discards lists the changes that Discard would forget with these ids, and forgets none.
func (l *Layer) Discards(ctx context.Context, ids []string) ([]journal.Change, error) {
	l.apply.Lock()
	defer l.apply.Unlock()
	list, err := l.list(ctx)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(list, ids)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	l.spreadDiscard(list, chosen)
	return applied(list, chosen, nil), nil
}
