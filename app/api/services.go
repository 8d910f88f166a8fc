package api

import (
	"context"

	"piwork/app/problem"
	"piwork/app/services"
)

// secretService has the services that tasks use with secrets of the person.
type secretService interface {
	Services(context.Context) ([]services.Service, error)
	FindService(ctx context.Context, name string) (services.Service, error)
	PutService(ctx context.Context, name string, d services.Definition) (services.Service, error)
	RemoveService(ctx context.Context, name string) error
	SetServiceSecret(ctx context.Context, name string, r services.SecretRequest) (services.Service, error)
	ForgetServiceSecret(ctx context.Context, name string) error
	TestService(ctx context.Context, name string) ([]services.HostTest, error)
	ServicePresets(context.Context) ([]services.Preset, error)
	TaskRequests(ctx context.Context, task string) (services.TaskRequests, error)
}

// ServiceRef names a service.
type ServiceRef struct {
	Name string `path:"name" maxLength:"31" doc:"what it is called here"`
}

func (r ServiceRef) id() string { return r.Name }

// serviceOperations are the person's alone: a service is a way to use its secret.
var serviceOperations = []operation{
	{"listServices", "GET /v1/services", "The services that tasks can use with a secret", "A program with a token cannot. Secrets are never shown.", list(Service.Services, func(s services.Service) string { return s.Name }).failing(ofKeys...)},
	{"listServicePresets", "GET /v1/service-presets", "Services that many people use", "", get(Service.ServicePresets)},
	{"getService", "GET /v1/services/{name}", "A service, without its secret", "", of[ServiceRef](Service.FindService).failing(ofKeys...).failing(problem.CodeUnknownService)},
	{"putService", "PUT /v1/services/{name}", "Add a service, or change one",
		"Tasks that run with it can use it no more. Its secret stays, unless the hosts or the places that it goes to are others now.",
		call(Service.PutService, func(a *API, ctx context.Context, in *struct {
			ServiceRef
			Body services.Definition
		}) (services.Service, error) {
			return a.service.PutService(ctx, in.Name, in.Body)
		}).failing(ofKeys...)},
	{"removeService", "DELETE /v1/services/{name}", "Remove a service and its secret", "Tasks that run with it can use it no more.", remove[ServiceRef](Service.RemoveService).failing(ofKeys...).failing(problem.CodeUnknownService)},
	{"setServiceSecret", "PUT /v1/services/{name}/secret", "Keep the secret of a service in the keychain of this computer",
		"It is never shown again. Tasks that run with the service have to be started again.",
		call(Service.SetServiceSecret, func(a *API, ctx context.Context, in *struct {
			ServiceRef
			Body services.SecretRequest
		}) (services.Service, error) {
			return a.service.SetServiceSecret(ctx, in.Name, in.Body)
		}).failing(ofKeys...).failing(problem.CodeKeyInvalid, problem.CodeUnknownService)},
	{"forgetServiceSecret", "DELETE /v1/services/{name}/secret", "Forget the secret of a service", "Tasks that run with the service can use it no more.", remove[ServiceRef](Service.ForgetServiceSecret).failing(ofKeys...).failing(problem.CodeUnknownService)},
	{"testService", "POST /v1/services/{name}/test", "Ask the hosts of a service whether they take the secret", "Only those that name a path for it.", of[ServiceRef](Service.TestService).failing(ofKeys...).failing(problem.CodeServiceSecret, problem.CodeTimeout, problem.CodeUnknownService)},
}
