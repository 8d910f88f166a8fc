package apitest

import (
	"context"
	"slices"

	"piwork/app/problem"
	"piwork/app/services"
)

// Services are those that the script has, and what was put.
func (f computer) Services(context.Context) ([]services.Service, error) {
	return value[[]services.Service](f.core), f.refused("Services")
}

func (f computer) FindService(ctx context.Context, name string) (services.Service, error) {
	all, err := f.Services(ctx)
	if err != nil {
		return services.Service{}, err
	}
	i := slices.IndexFunc(all, func(s services.Service) bool { return s.Name == name })
	if i < 0 {
		return services.Service{}, problem.New(problem.CodeUnknownService).With("service", name)
	}
	return all[i], f.refused("FindService")
}

func (f computer) PutService(ctx context.Context, name string, d services.Definition) (services.Service, error) {
	if err := f.asked("PutService", name, d); err != nil {
		return services.Service{}, err
	}
	s := services.Service{Name: name, Hosts: d.Hosts, Secret: services.SecretMissing}
	if p, ok := services.FindPreset(d.Preset); ok {
		s.Hosts = p.Hosts
	}
	change(f.core, func(all *[]services.Service) { *all = append(*all, s) })
	return s, nil
}

func (f computer) SetServiceSecret(ctx context.Context, name string, r services.SecretRequest) (services.Service, error) {
	if err := f.asked("SetServiceSecret", name, r); err != nil {
		return services.Service{}, err
	}
	change(f.core, func(all *[]services.Service) {
		*all = slices.Clone(*all) // others read what it was
		for i := range *all {
			if (*all)[i].Name == name {
				(*all)[i].Secret = services.SecretSet
			}
		}
	})
	return f.FindService(ctx, name)
}

func (f computer) ForgetServiceSecret(_ context.Context, name string) error {
	return f.asked("ForgetServiceSecret", name)
}

func (f computer) RemoveService(_ context.Context, name string) error {
	if !dropped(f.core, func(s services.Service) bool { return s.Name == name }) {
		return problem.New(problem.CodeUnknownService)
	}
	return f.refused("RemoveService")
}

func (f computer) ServicePresets(context.Context) ([]services.Preset, error) {
	return services.Presets(), f.refused("ServicePresets")
}
