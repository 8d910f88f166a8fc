package update

import (
	"piwork/pack"
)

// Plan says what an update costs, before anything of it starts.
type Plan struct {
	Download int64 // bytes to fetch, at most: an unfinished assembly needs less
	Disk     int64 // bytes that the new version takes on the disk, with a reserve
	Free     int64 // bytes that are free there
}

// Fits reports whether there is room.
func (p Plan) Fits() bool { return p.Disk <= p.Free }

// NewPlan compares a pack, whose head is there, with what is installed in s.
func NewPlan(h *pack.Head, s *pack.Store, from ...*pack.Installed) (Plan, error) {
	free, err := pack.FreeSpace(s.Dir())
	if err != nil {
		return Plan{}, err
	}
	p := h.Plan(from...)
	return Plan{Download: p.Fetch, Disk: p.Disk, Free: int64(min(free, 1<<62))}, nil
}
