package provider

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// Able is what is known of what a model can do. nil and zero are "not known", which
// is not the same as no.
type Able struct {
	Images  *bool `json:"images,omitempty"`  // it looks at pictures
	Thinks  *bool `json:"thinks,omitempty"`  // how long it thinks can be chosen
	Context int64 `json:"context,omitempty"` // tokens of question and answer together
}

// Model is a model of a service.
type Model struct {
	ID string
	Able
}

// Or is a, and what b knows beyond it.
func (a Able) Or(b Able) Able {
	if a.Images == nil {
		a.Images = b.Images
	}
	if a.Thinks == nil {
		a.Thinks = b.Thinks
	}
	if a.Context <= 0 {
		a.Context = b.Context
	}
	return a
}

// IDs are those of models.
func IDs(list []Model) []string {
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

//go:embed catalogue.json
var catalogueJSON []byte

// catalogue is what pi's own list says of models, by "<provider>/<model>".
// TestRealCatalogue of package agent holds it, and writes it anew with -update.
var catalogue = sync.OnceValue(func() map[string]Able {
	var all map[string]Able
	if json.Unmarshal(catalogueJSON, &all) != nil {
		return nil // TestKnown would say so
	}
	return all
})

// Known is what is known of a model. The first that says something holds: pi's own
// list, which pi goes by; what a service said of it; its name, which says only of
// some that they think.
func Known(p Provider, model string, said Able) Able {
	a := said
	if p.Builtin {
		a = catalogue()[p.ID+"/"+model].Or(said)
	}
	if a.Thinks == nil && thinks(p.Protocol, model).Reasoning {
		yes := true
		a.Thinks = &yes
	}
	return a
}

// Public reports whether everybody knows a model: pi's own list has it, and the provider
// answers at its own address. Other names are a person's, or their employer's.
func Public(p Provider, model string) bool {
	_, listed := catalogue()[p.ID+"/"+model]
	return listed && Own(p)
}

// LeavesPictures reports whether pi leaves the pictures of a message out for a model,
// of which it was told what told says: where it does not know that the model looks at
// them. Of a model that pi may know and this program does not, it is false.
func LeavesPictures(p Provider, model string, told Able) bool {
	if !Described(p, model) {
		told = catalogue()[p.ID+"/"+model]
		return told.Images != nil && !*told.Images
	}
	return told.Images == nil || !*told.Images
}
