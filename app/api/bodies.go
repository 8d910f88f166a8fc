package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/api/answer"
	"piwork/app/api/door"
)

// countBody lets an operation have a large body for which there is room, among those that are in
// memory. One whose length nobody knows counts as it comes. That of an operation which waits for
// others leaves its room to them once it is decoded.
func (a *API) countBody(most int64, waits bool) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		v, size := door.Of(r.Context()), r.ContentLength
		if v == nil || size >= 0 && size <= door.MaxBody {
			next(ctx)
			return
		}
		b := v.Body()
		defer b.Leave()
		if size < 0 && !readBody(r, b, most) || size >= 0 && !b.Reach(min(size, most)) { // no more than most is read
			a.refuse(w, r, answer.CodeTooManyRequests, door.Crowd{Cause: "bodies", Limit: door.MaxBodies}, time.Second)
			return
		}
		if waits {
			ctx = huma.WithValue(ctx, decodedKey{}, b)
		}
		next(ctx)
	}
}

// readBody reads a body without a length while there is room for it. How it breaks off is found by
// who reads it again.
func readBody(r *http.Request, b *door.Body, most int64) (room bool) {
	var head bytes.Buffer
	body := io.Reader(&head)
	for {
		_, err := io.CopyN(&head, r.Body, door.MaxBody)
		size := int64(head.Len())
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil || size >= most {
			body = io.MultiReader(&head, r.Body)
			break
		} else if !b.Reach(min(size+door.MaxBody, most)) {
			return false
		}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	return true
}

type decodedKey struct{}

// decoded says that the body of a request was decoded.
func decoded(ctx context.Context) {
	if b, ok := ctx.Value(decodedKey{}).(*door.Body); ok {
		b.Wait()
	}
}
