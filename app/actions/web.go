package actions

import (
	"context"
	"slices"
	"time"

	"piwork/app/problem"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// FetchRequest asks for what is at an address of the web.
type FetchRequest struct {
	Needs
	URL   string `json:"url" minLength:"1" maxLength:"4096" doc:"http or https"`
	Into  string `json:"into,omitempty" maxLength:"4095" doc:"file that it goes to, in a folder of the task or in /work; without it the content comes with the answer"`
	Limit int64  `json:"limit,omitempty" minimum:"0" maximum:"1073741824" doc:"bytes at most: without it 64 MiB, and 1 MiB of what comes with the answer"`
}

// Fetched is what came of a FetchRequest.
type Fetched struct {
	wire.FetchResult
	Data []byte `json:"data,omitempty" doc:"the content, where it goes to no file"`
}

// VisitRequest is a visit to the web with a browser.
type VisitRequest struct {
	Needs
	Steps   []wire.PageStep `json:"steps" minItems:"1" maxItems:"200" doc:"what is done, the first an open"`
	Seconds int             `json:"seconds,omitempty" minimum:"0" maximum:"600" doc:"how long a page may load, each time, once its host answers; without it 90. What came until then is used"`
}

// Fetch gets what is at an address, over the network of the task: what a program of it may
// not reach this doesn't either, and the same questions are asked.
func (a *Actions) Fetch(ctx context.Context, id string, r FetchRequest) (Fetched, error) {
	most := int64(usualFetch)
	if r.Into == "" {
		most = wire.MaxInline
	}
	if r.Into == "" && r.Limit > most {
		return Fetched{}, problem.BadRequest("limit", "%d bytes, at most %d without a file", r.Limit, most)
	}
	obs, err := a.web(ctx, id, r.Needs, vmhost.Action{Fetch: &wire.FetchParams{
		URL: r.URL, Into: r.Into, Roots: roots(), Limit: or(r.Limit, most), StallMS: usualStall.Milliseconds(),
	}}, r.Into)
	if err != nil {
		return Fetched{}, err
	}
	return Fetched{*obs.Fetch, obs.Fetch.Data}, nil
}

// Visit does something with pages of the web, in the browser of the add-on.
func (a *Actions) Visit(ctx context.Context, id string, r VisitRequest) (wire.PageResult, error) {
	wait := or(time.Duration(r.Seconds)*time.Second, usualLoad)
	var made []string
	for _, s := range r.Steps {
		made = append(made, s.Into)
	}
	obs, err := a.web(ctx, id, r.Needs, vmhost.Action{Page: &wire.PageParams{Steps: r.Steps, Roots: roots(), WaitMS: wait.Milliseconds()}}, made...)
	if err != nil {
		return wire.PageResult{}, err
	}
	return *obs.Page, nil
}

// web does an action on the web, which writes files; "" is none.
func (a *Actions) web(ctx context.Context, id string, n Needs, action vmhost.Action, writes ...string) (vmhost.Observation, error) {
	writes = slices.DeleteFunc(writes, func(p string) bool { return p == "" })
	done, err := a.turns(ctx, id, writes...)
	if err != nil {
		return vmhost.Observation{}, err
	}
	defer done()
	obs, err := a.places.Act(ctx, id, a.required(n, action, writes...))
	if err != nil {
		p := refused(id, err)
		if p.Code == problem.CodeAddOnMissing {
			p = p.With("name", "browser")
		}
		return obs, p
	}
	return obs, nil
}

// roots are where the files of actions are.
func roots() []string { return []string{wire.FoldersDir, wire.WorkDir} }
