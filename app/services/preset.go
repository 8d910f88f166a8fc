package services

import "slices"

// Preset is a service that many people use.
type Preset struct {
	Code  string `json:"code"`
	Hosts []Host `json:"hosts"`
}

// GitHub takes a token in two places: its API as a bearer, git over https as a password.
func github(api, git []string) []Host {
	return []Host{
		{Host: "api.github.com", Put: &Put{Template: "Bearer {secret}"}, Rules: api, Test: "/user"},
		{Host: "github.com", Put: &Put{User: "x-access-token"}, Rules: git},
	}
}

// presets are as the services themselves document them. Where a path decides nothing
// (GraphQL), it is not allowed. github-write merges pull requests, pushes (over branches, and
// deleting them) and publishes releases, statuses and check runs, besides work on issues,
// pull requests and files; it changes no settings of a repository. What a preset allows is
// said in [help.service.add] of app/words and in settingsPages.services.allows of the window.
var presets = []Preset{
	{"github", github([]string{"allow GET /**"}, []string{"allow GET /**", "allow POST /*/*/git-upload-pack"})},
	{"github-write", github(
		[]string{"allow GET /**", "allow POST,PATCH /repos/*/*/issues/**", "allow POST,PATCH,PUT /repos/*/*/pulls/**", "allow POST,PATCH /repos/*/*/git/**", "allow PUT /repos/*/*/contents/**",
			"allow POST,PATCH /repos/*/*/releases/**", "allow POST /repos/*/*/statuses/*", "allow POST,PATCH /repos/*/*/check-runs/**"},
		[]string{"allow GET /**", "allow POST /*/*/git-upload-pack", "allow POST /*/*/git-receive-pack"})},
	{"npm", []Host{{Host: "registry.npmjs.org", Put: &Put{Template: "Bearer {secret}"}, Test: "/-/whoami",
		Rules: []string{"allow GET /**", "allow GET /@*%2f*", "allow POST /-/npm/v1/security/**"}}}},
	{"pypi-upload", []Host{{Host: "upload.pypi.org", Put: &Put{User: "__token__"}, Rules: []string{"allow POST /legacy/"}}}},
}

// Presets are all of them.
func Presets() []Preset { return slices.Clone(presets) }

// FindPreset finds one.
func FindPreset(code string) (Preset, bool) {
	i := slices.IndexFunc(presets, func(p Preset) bool { return p.Code == code })
	if i < 0 {
		return Preset{}, false
	}
	return presets[i], true
}
