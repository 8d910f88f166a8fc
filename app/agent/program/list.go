package program

import "context"

// Info is an AI program as a person sees it.
type Info struct {
	Name      string   `json:"name" doc:"as a task asks for it (program)"`
	Title     string   `json:"title" doc:"as its makers write it"`
	AddOn     string   `json:"addOn,omitempty" doc:"that has it; absent where the runtime itself does"`
	Installed bool     `json:"installed" doc:"a task can be started with it"`
	Thinks    bool     `json:"thinks" doc:"how long a model thinks can be chosen"`
	Providers []string `json:"providers" doc:"that there are keys for and whose models it can use"`
}

// Sources say what a [AgentList] depends on.
type Sources struct {
	// Usable reports whether the runtime has an add-on.
	Usable func(ctx context.Context, addOn string) (bool, error)
	// Providers are the ids of those that there are keys for, with plain of those that need no
	// more than a key.
	Providers func(ctx context.Context, plain bool) ([]string, error)
}

// AgentList answers which programs there are here.
type AgentList struct{ from Sources }

// NewAgentList makes one.
func NewAgentList(from Sources) *AgentList { return &AgentList{from} }

// Programs are all programs, and what of each is here.
func (c *AgentList) Programs(ctx context.Context) ([]Info, error) {
	out := make([]Info, 0, len(programs))
	for _, p := range programs {
		i := Info{Name: p.Name, Title: p.Title, AddOn: p.AddOn, Installed: p.AddOn == "", Thinks: p.Thinks}
		var err error
		if p.AddOn != "" {
			if i.Installed, err = c.from.Usable(ctx, p.AddOn); err != nil {
				return nil, err
			}
		}
		if i.Providers, err = c.from.Providers(ctx, !p.Own()); err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}
