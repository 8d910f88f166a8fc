package api

import (
	"context"

	"piwork/app/approval"
	"piwork/app/consent"
	"piwork/app/problem"
	"piwork/vmhost"
)

// networkService has what tasks may reach.
type networkService interface {
	NetworkRules(context.Context) (consent.NetworkRules, error)
	AddNetworkRule(context.Context, consent.NetworkRuleRequest) (approval.Rule, error)
	NetworkPresets(context.Context) ([]consent.NetworkPreset, error)
	SetNetworkPreset(ctx context.Context, code string, c consent.PresetChoice) (consent.NetworkPreset, error)
	WebSearch(context.Context) (consent.WebSearch, error)
	SetWebSearch(context.Context, consent.WebSearch) (consent.WebSearch, error)
}

var networkOperations = []operation{
	{"listNetworkRules", "GET /v1/network/rules", "What tasks may reach", "All at once: listRules has the same rules, and the others, in pages.", get(Service.NetworkRules)},
	{"addNetworkRule", "POST /v1/network/rules", "Allow or deny a name", "A program with a token cannot allow one everywhere.",
		call(Service.AddNetworkRule, func(a *API, ctx context.Context, in *input[consent.NetworkRuleRequest]) (approval.Rule, error) {
			if err := personal(ctx, in.Body.Task == "" && in.Body.Answer == vmhost.AnswerAllow); err != nil {
				return approval.Rule{}, err
			}
			return a.service.AddNetworkRule(ctx, in.Body)
		}).failing(ofRecord...)},
	{"listNetworkPresets", "GET /v1/network/presets", "Groups of hosts, and which are allowed everywhere", "", get(Service.NetworkPresets)},
	{"setNetworkPreset", "PUT /v1/network/presets/{name}", "Allow a group of hosts everywhere, or not any more", "A program with a token cannot allow one.",
		call(Service.SetNetworkPreset, func(a *API, ctx context.Context, in *struct {
			Name string `path:"name" doc:"code of the group" minLength:"1" maxLength:"64" pattern:"^[a-z0-9-]+$"`
			Body consent.PresetChoice
		}) (consent.NetworkPreset, error) {
			if err := personal(ctx, in.Body.On); err != nil {
				return consent.NetworkPreset{}, err
			}
			return a.service.SetNetworkPreset(ctx, in.Name, in.Body)
		}).failing(problem.CodeNotFound)},
	{"getWebSearch", "GET /v1/settings/search", "What searches the web in the place of tasks", "", get(Service.WebSearch)},
	{"setWebSearch", "PUT /v1/settings/search", "Choose what searches the web in the place of tasks", "What tasks search for goes there. A program with a token cannot.", send(Service.SetWebSearch).needing(needPerson)},
}
