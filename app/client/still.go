package client

import (
	"context"
	"errors"
	"net/http"
)

// Record is a record that was read by itself, and what tells it from what it is later.
type Record[T any] struct {
	Value T
	ETag  string
}

// tag is its ETag, whatever it is of.
func (r Record[T]) tag() string { return r.ETag }

// Seen is a [Record] of any type.
type Seen interface{ tag() string }

// errNoETag is of what was not answered by itself, such as an entry of a list.
var errNoETag = errors.New("the record was not answered by itself: it has no ETag")

// Read reads a record with an operation that answers it by itself, to change it with
// [WhileStill]:
//
//	seen, err := client.Read(ctx, func(ctx context.Context) (task.Task, error) { return c.Task(ctx, id) })
//	…
//	_, err = client.WhileStill(c, seen).RenameTask(ctx, id, tasks.RenameRequest{Title: "a"})
func Read[T any](ctx context.Context, get func(context.Context) (T, error)) (Record[T], error) {
	var tag string
	v, err := get(context.WithValue(ctx, tagKey{}, &tag))
	if err == nil && tag == "" {
		err = errNoETag
	}
	if err != nil {
		return Record[T]{}, err
	}
	return Record[T]{v, tag}, nil
}

// tagKey is where a context has room for an ETag.
type tagKey struct{}

// remember leaves the ETag of an answer where [Read] asked for it.
func remember(ctx context.Context, res *http.Response) {
	if tag, asked := ctx.Value(tagKey{}).(*string); asked && res.Request.Method == http.MethodGet {
		*tag = res.Header.Get("ETag")
	}
}

// WhileStill is the same client as c, for changes of a record that are done only while it still
// is what was read. Else nothing is done, and the problem has the code problem.CodeChanged; so it
// is where seen was never read.
func WhileStill(c *Client, seen Seen) *Client {
	still := *c
	if still.still = seen.tag(); still.still == "" {
		still.still = `""` // no record has it
	}
	return &still
}
