package client_test

import (
	"errors"
	"reflect"
	"testing"

	"piwork/app/actions"
	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/vmhost/wire"
)

// What a watch hears comes in its order, and one that does not begin is a problem.
func TestWatchFiles(t *testing.T) {
	f := apitest.New(apitest.Script{})
	id := over(t, f).ID
	f.Agent.Changes = []wire.FileChange{{What: wire.ChangeCreated, Path: "/work/ü\n"}, {What: wire.ChangeLost}}
	r := actions.WatchRequest{Path: "/work/?&ü", Depth: 2, Seconds: 3, Limit: 4, Requires: []string{"vm", "no-network"}}
	each(t, f, func(t *testing.T, c *client.Client) {
		var got []wire.FileChange
		err := c.WatchFiles(t.Context(), id, r, func(c wire.FileChange) error { got = append(got, c); return nil })
		if want := append([]wire.FileChange{{What: wire.ChangeReady, Path: r.Path}}, f.Agent.Changes...); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %+v", err, got)
		}
		wishes := f.Wishes()
		if asked := wishes[len(wishes)-1]; !reflect.DeepEqual(asked, r) {
			t.Errorf("%+v is asked", asked)
		}
		enough := errors.New("enough")
		if err := c.WatchFiles(t.Context(), id, r, func(wire.FileChange) error { return enough }); !errors.Is(err, enough) {
			t.Error(err)
		}
		if err := c.WatchFiles(t.Context(), "other", r, nil); err == nil || problem.From(err).Code != problem.CodeNotFound {
			t.Errorf("of no task: %v", err)
		}
	})
	f.Refuse = map[string]error{"WatchFiles": problem.New(problem.CodeFileOutside)}
	each(t, f, func(t *testing.T, c *client.Client) {
		if err := c.WatchFiles(t.Context(), id, r, nil); problem.From(err).Code != problem.CodeFileOutside {
			t.Error(err)
		}
	})
}
