package door

import "sync"

// room has so many places.
type room struct {
	places int

	mu    sync.Mutex
	taken int
	by    map[account]int
}

func newRoom(places int) room { return room{places: places, by: map[account]int{}} }

// Crowd says why somebody finds no room.
type Crowd struct {
	Cause string // OfProgram, or "": of all
	Limit int
}

// OfProgram is the cause of a crowd that is one program.
const OfProgram = "program"

// enter takes a place, or says why there is none.
func (r *room) enter(a account) (why *Crowd) { return r.take(a, 1) }

// take takes so many places, or says why they are not there.
func (r *room) take(a account, places int) (why *Crowd) {
	r.mu.Lock()
	defer r.mu.Unlock()
	free := r.places - r.taken
	switch {
	case free < places:
		return &Crowd{Limit: r.places}
	case a != "" && r.by[a]+places > r.share(free):
		return &Crowd{Cause: OfProgram, Limit: r.by[a]}
	}
	r.taken += places
	r.by[a] += places
	return nil
}

// share is what one can have where so many places are free.
func (r *room) share(free int) int { return max(free-r.places/4, free/16, 1) }

func (r *room) leave(a account) { r.give(a, 1) }

// give gives places back.
func (r *room) give(a account, places int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken -= places
	r.less(a, places)
}

// less is that an account has so many places less. r.mu is held.
func (r *room) less(a account, places int) {
	if r.by[a] -= places; r.by[a] == 0 {
		delete(r.by, a)
	}
}

// disown has a place be nobody's: its account can have another one.
func (r *room) disown(a account) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.less(a, 1)
	r.by[""]++
}
