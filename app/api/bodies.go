package api

import (
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/api/answer"
	"piwork/app/api/door"
)

// countBody lets an operation have a large body for which there is room, among those that are in
// memory. One whose length nobody knows counts as the largest.
func (a *API) countBody(most int64) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		v, size := door.Of(r.Context()), r.ContentLength
		if size < 0 || size > most { // of the latter no more is read
			size = most
		}
		if v == nil || size <= door.MaxBody {
			next(ctx)
			return
		}
		leave, room := v.Body(size)
		if !room {
			a.refuse(w, r, answer.CodeTooManyRequests, door.Crowd{Cause: "bodies", Limit: door.MaxBodies}, time.Second)
			return
		}
		defer leave()
		next(ctx)
	}
}
