package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"piwork/app/access"
	"piwork/app/api/answer"
	"piwork/app/api/replay"
	"piwork/app/consent"
	"piwork/app/models"
	"piwork/app/policy"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
)

// tokenService has the tokens of other programs.
type tokenService interface {
	Tokens(context.Context) ([]access.Token, error)
	OwnToken(context.Context) (access.Token, error)
	CreateToken(context.Context, access.TokenRequest) (access.NewToken, error)
	RevokeToken(ctx context.Context, id string) error
}

// callerOf is whose keys of requests those of a request are.
func callerOf(r *http.Request) string {
	if c := access.ClientOf(r.Context()); c != nil {
		return c.Identity()
	}
	return ""
}

// refuseReplay answers a request whose key has it not done.
func refuseReplay(w http.ResponseWriter, r *http.Request, why replay.Reason) {
	status := cmp.Or(map[replay.Reason]int{replay.Wrong: http.StatusBadRequest, replay.Broken: http.StatusBadRequest, replay.Reused: http.StatusUnprocessableEntity}[why], http.StatusConflict)
	if why == replay.Busy {
		w.Header().Set("Retry-After", "1")
	}
	answer.Write(w, r, answer.NewError(status, problem.New(answer.CodeIdempotency).By(string(why)), replay.Header))
}

// TokenRef names a token.
type TokenRef struct {
	Token string `path:"token" doc:"id or name of the token" minLength:"1" maxLength:"64" pattern:"^[0-9A-Za-z._-]+$"`
}

func (r TokenRef) id() string { return r.Token }

var tokenOperations = []operation{
	{"listTokens", "GET /v1/tokens", "The tokens of other programs, without their secrets", "", list(Service.Tokens, func(t access.Token) string { return t.ID })},
	{"getOwnToken", "GET /v1/token", "The token that the request came with", "What it is for, and when it ends. The person has none.", get(Service.OwnToken).needing(needNothing).failing(problem.CodeNotFound)},
	{"createToken", "POST /v1/tokens", "Make a token for another program", "The secret is in this answer and nowhere else. A program with a token cannot make one.",
		send(Service.CreateToken).created().needing(needPerson).failing(ofFolder...).failing(problem.CodeFolderOverlap, problem.CodeTokenName)},
	{"revokeToken", "DELETE /v1/tokens/{token}", "Revoke a token", "Its requests end at once, and what it held, also while the data moves. Tasks that were detached go on.", remove[TokenRef](Service.RevokeToken).needing(needPerson).failing(problem.CodeNotFound, problem.CodeTokenUnwritten)},
}

// need is what a program with a token needs to ask for an operation.
type need string

const (
	needManage  need = "manage"  // all that stands nowhere
	needNothing need = "nothing" // a token is enough
	needSee     need = "see"     // its own tasks; read for all
	needAct     need = "act"     // tasks, and its own tasks; manage for all
	needAgain   need = "again"   // as act, with what its token lets it start
	needTasks   need = "tasks"   // as act, with that scope: it runs programs
	needDecide  need = "decide"  // as act, with that scope
	needTools   need = "tools"
	needPerson  need = "person" // no token is enough
)

// needs are of a group of operations: of those that look (GET), and of the others.
type needs struct{ look, do need }

// of is what an operation needs: what it says itself, or what its group does.
func (n needs) of(o operation) need {
	group := n.do
	if strings.HasPrefix(o.route, http.MethodGet+" ") {
		group = n.look
	}
	switch {
	case o.need != "":
		return o.need
	case group != "":
		return group
	}
	return needManage
}

// needing says what a program with a token needs, where it is not as in the group.
func (h handler) needing(n need) handler {
	h.need = n
	return h
}

// scope is the one that a client lacks for an operation; "" is that it lacks none.
func (n need) scope(c *access.Client) access.Scope {
	want := access.Manage
	switch n {
	case needNothing, needSee:
		return ""
	case needAct, needAgain, needTasks:
		want = access.Tasks
	case needDecide:
		want = access.Decide
	case needTools:
		want = access.Tools
	}
	if c.May(want) || (n == needAct || n == needAgain) && (c.May(access.AI) || c.May(access.Tools)) { // what it started, it steers
		return ""
	}
	return want
}

// admitClient refuses an operation to a program whose token is not for it, or not for the task
// that it is about.
func admitClient(a *API, n need) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		ctx := hc.Context()
		c := access.ClientOf(ctx)
		if c == nil {
			next(hc)
			return
		}
		var err error
		if n == needPerson {
			err = c.DeniedAlways()
		} else if lacks := n.scope(c); lacks != "" {
			err = c.Denied(lacks)
		} else if n != needNothing && n != needManage && n != needTools {
			err = aboutOwn(ctx, a.service, c, n, hc)
		}
		if err != nil {
			r, w := humago.Unwrap(hc)
			answer.Write(w, r, answer.FromService(err))
			return
		}
		next(hc)
	}
}

// aboutOwn returns an error where a request is about a task that its client may not know of,
// or do nothing to. What it may not know of is not there.
func aboutOwn(ctx context.Context, tasks Service, c *access.Client, n need, hc huma.Context) error {
	id := hc.Param("id")
	if session := hc.Param("session"); session != "" {
		s, err := tasks.Session(ctx, session)
		if err != nil {
			return err
		}
		id = s.Task
	}
	if id == "" {
		return nil // a list, which is filtered, or a start
	}
	t, err := tasks.Task(ctx, id)
	if err != nil {
		return err
	}
	if !c.Sees(t) {
		return problem.New(problem.CodeNotFound).With("task", id)
	}
	switch {
	case n != needSee && !c.Owns(t.Client):
		return c.Denied(access.Manage)
	case n != needSee && (len(t.Services) > 0 || t.Runtime == vmhost.KindHost): // whoever steers it uses the secrets of the person, or is the person
		return c.DeniedAlways()
	case (n == needAct || n == needAgain || n == needTasks) && t.AI != nil && t.AI.Servers && !t.State.Final(): // as with the secrets: whoever steers it uses the person's MCP servers
		return c.DeniedAlways()
	}
	if n == needAgain {
		return c.Again(t, false, "")
	}
	return nil
}

// personal returns an error where a program with a token asks for what only the person may:
// whether it does, asks says.
func personal(ctx context.Context, asks bool) error {
	if c := access.ClientOf(ctx); c != nil && asks {
		return c.DeniedAlways()
	}
	return nil
}

// onlySeen leaves out what is of tasks that the client of a request may not know of.
func onlySeen[T any](ctx context.Context, tasks Service, list []T, of func(T) string) []T {
	c := access.ClientOf(ctx)
	if c.May(access.Read) {
		return list
	}
	out, seen := []T{}, map[string]bool{}
	for _, one := range list {
		id := of(one)
		if _, known := seen[id]; !known {
			t, err := tasks.Task(ctx, id)
			seen[id] = err == nil && c.Sees(t)
		}
		if seen[id] {
			out = append(out, one)
		}
	}
	return out
}

// ownFilter is a filter for tasks that the client of a request may know of.
func ownFilter(ctx context.Context, f task.Filter) task.Filter {
	if c := access.ClientOf(ctx); !c.May(access.Read) {
		f.Client = c.Identity()
	}
	return f
}

// ownEvents returns an error where the client of a request may not hear what it asks for, or
// not have it wait or live on. A task that is not there yet may be one that it is about to
// start; of one that was deleted nothing is remembered (events.Broker).
func ownEvents(ctx context.Context, tasks Service, id string, steers bool) error {
	c := access.ClientOf(ctx)
	if id == "" && !c.May(access.Read) {
		return c.Denied(access.Read)
	}
	if c == nil || id == "" {
		return nil
	}
	t, err := tasks.Task(ctx, id)
	switch {
	case err != nil && problem.From(err).Code == problem.CodeNotFound:
		return nil
	case err != nil:
		return err
	case !c.Sees(t):
		return problem.New(problem.CodeNotFound).With("task", id)
	case steers && !c.Owns(t.Client):
		return c.Denied(access.Manage)
	}
	return nil
}

// ownAnswer returns an error where an answer of the client of a request, in a task, reaches further
// than its token. What depends on the question, the service asks when it decides: the question may
// open after this.
func ownAnswer(ctx context.Context, tasks Service, id string, a *consent.AnswerRequest) error {
	c := access.ClientOf(ctx)
	if c == nil {
		return nil
	}
	t, err := tasks.Task(ctx, id)
	if err != nil {
		return err
	}
	lasts := a.Scope == vmhost.ScopeFolder || a.Scope == vmhost.ScopeAlways // it would hold in other tasks
	switch {
	case lasts && a.Answer == vmhost.AnswerAllow:
		return c.DeniedAlways()
	case lasts && !c.May(access.Manage):
		return c.Denied(access.Manage) // it would take the place of a yes of the person
	}
	a.May = func(q vmhost.Question) error {
		switch {
		case q.Kind == vmhost.AskRuntime && lasts: // where other tasks may work is the person's to choose
			return c.DeniedAlways()
		case a.Answer != vmhost.AnswerAllow:
			return nil
		case q.Kind == vmhost.AskServer: // it uses the person's secrets
			return c.DeniedAlways()
		case (q.Kind == vmhost.AskFolder || q.Kind == vmhost.AskUndoSpace) && !c.May(access.Manage):
			return c.Denied(access.Manage) // a folder is the person's to give, and the place on their disk
		case t.Client != c.Identity() && (q.Kind == vmhost.AskRuntime || q.Kind == vmhost.AskRule && q.Text.Params["action"] == string(policy.StartRuntime)): // a task is kept as far apart as whoever began it said
			return c.DeniedAlways()
		}
		return nil
	}
	return nil
}

// ownProvider returns an error where a program with a token would have what was said in the task of
// somebody else go to another provider of models.
func ownProvider(ctx context.Context, tasks Service, id, model string) error {
	c := access.ClientOf(ctx)
	if c == nil || model == "" {
		return nil
	}
	t, err := tasks.Task(ctx, id)
	if err != nil {
		return err
	}
	return personal(ctx, t.Client != c.Identity() && t.AI != nil && models.ProviderOf(t.AI.Model) != models.ProviderOf(model))
}
