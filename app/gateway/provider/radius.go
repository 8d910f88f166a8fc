package provider

import "encoding/json"

// radiusID is Radius, the service of pi's makers. It speaks pi's own protocol, and has
// models that a pi need not know ([Described]).
const radiusID = "radius"

// ParseConfig reads what Radius says of its models (GET /v1/config), as pi reads it:
// of what is no whole description of a model nothing is taken. It names an address for
// questions, too, which pi follows; here they, and so the token, go to the provider's
// own address only. The error is [errNoList].
func ParseConfig(data []byte) ([]Model, error) {
	var c struct {
		BaseURL *string            `json:"baseUrl"`
		Models  *[]json.RawMessage `json:"models"`
	}
	if json.Unmarshal(data, &c) != nil || c.BaseURL == nil || c.Models == nil {
		return nil, errNoList
	}
	l := list{}
	for _, raw := range *c.Models {
		var m struct {
			ID        *string          `json:"id"`
			Name      *string          `json:"name"`
			Reasoning *bool            `json:"reasoning"`
			Input     *[]any           `json:"input"`
			Cost      *json.RawMessage `json:"cost"`
			Context   *float64         `json:"contextWindow"`
			Max       *float64         `json:"maxTokens"`
		}
		if json.Unmarshal(raw, &m) != nil || m.ID == nil || m.Name == nil || m.Reasoning == nil || m.Input == nil || m.Context == nil || m.Max == nil ||
			m.Cost == nil || object(*m.Cost) == nil {
			continue
		}
		images := false
		for _, in := range *m.Input {
			images = images || in == "image"
		}
		a := Able{Images: &images, Thinks: m.Reasoning}
		if n := *m.Context; n > 0 && n <= maxContext {
			a.Context = int64(n)
		}
		l.add(*m.ID, a, false)
	}
	return l.sorted(), nil
}

// Described reports whether pi has to be told what a model can do: it knows those of
// its own list, and believes of others what it is told.
func Described(p Provider, model string) bool {
	if p.Builtin && p.Protocol != Pi {
		return false
	}
	_, known := catalogue()[p.ID+"/"+model]
	return !p.Builtin || !known
}

// Asked reports whether a provider has models that only it knows: pi is told of them.
func Asked(p Provider) bool { return !p.Builtin || p.Protocol == Pi }

// Open reports whether a provider may list its models for everybody, so that its list
// says nothing of who asks.
func Open(p Provider) bool { return p.Protocol == Pi }
