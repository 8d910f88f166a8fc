package app

import (
	"context"

	"piwork/app/approval"
	"piwork/app/problem"
)

// Topics of rules about the network.
const (
	topicNetwork = "network/"
	topicPreset  = topicNetwork + "preset/"
)

// NetworkTopic is the topic of the rule that a request asks for.
func NetworkTopic(r NetworkRuleRequest) string {
	if r.Preset != "" {
		return topicPreset + r.Preset
	}
	return topicNetwork + r.Host
}

// NetworkRules lists what tasks may reach; see Service.
func (c *Controller) NetworkRules(context.Context) (NetworkRules, error) {
	return NetworkRules{}, problem.New(problem.CodeUnsupported).With("what", "network")
}

// AddNetworkRule allows or denies a name; see Service.
func (c *Controller) AddNetworkRule(context.Context, NetworkRuleRequest) (approval.Rule, error) {
	return approval.Rule{}, problem.New(problem.CodeUnsupported).With("what", "network")
}
