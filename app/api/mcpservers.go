package api

import (
	"context"

	"piwork/app/mcpservers"
	"piwork/app/problem"
)

// mcpServerService has the person's own MCP servers.
type mcpServerService interface {
	MCPServers(context.Context) ([]mcpservers.Server, error)
	AddMCPServer(context.Context, mcpservers.Addition) (mcpservers.Server, error)
	ImportMCPServers(context.Context, mcpservers.Import) ([]mcpservers.Server, error)
	CheckMCPServer(ctx context.Context, name string) (mcpservers.Server, error)
	AllowMCPTool(ctx context.Context, name string, c mcpservers.ToolChoice) (mcpservers.Server, error)
	SetMCPServerReach(ctx context.Context, name string, r mcpservers.Reach) (mcpservers.Server, error)
	RemoveMCPServer(ctx context.Context, name string) error
	LoginMCPServer(ctx context.Context, name string, r mcpservers.LoginRequest) (mcpservers.Login, error)
	MCPServerLogin(ctx context.Context, name string) (mcpservers.Login, error)
	LogoutMCPServer(ctx context.Context, name string) (mcpservers.Logout, error)
}

// MCPServerRef names a server.
type MCPServerRef struct {
	Name string `path:"name" minLength:"1" maxLength:"24" pattern:"^[a-z0-9-]+$" doc:"what it is called here"`
}

func (r MCPServerRef) id() string { return r.Name }

// A server is a program that is started, so all but the list is the person's alone.
var mcpServerOperations = []operation{
	{"listMCPServers", "GET /v1/mcp-servers", "The MCP servers that an AI may use, and which of their tools", "", list(Service.MCPServers, func(s mcpservers.Server) string { return s.Name })},
	{"addMCPServer", "POST /v1/mcp-servers", "Add an MCP server", "None of its tools is allowed. A program with a token cannot.", send(Service.AddMCPServer).created().needing(needPerson).failing(ofFolder...).failing(ofKeys...).failing(problem.CodeUnknownService)},
	{"importMCPServers", "POST /v1/mcp-servers/import", "Add the MCP servers of a file as other programs have it", "All of them, or none. None of their tools is allowed. A program with a token cannot.",
		send(Service.ImportMCPServers).created().needing(needPerson).upTo(1 << 20).failing(ofFolder...).failing(ofKeys...)},
	{"checkMCPServer", "POST /v1/mcp-servers/{name}/check", "Start an MCP server once, and list its tools",
		"A tool that is not as it was is off again. The answer comes when the server has ended, which can take minutes. A program with a token cannot.", of[MCPServerRef](Service.CheckMCPServer).needing(needPerson).failing(ofPlace...).failing(ofKeys...).failing(problem.CodeMCPServer, problem.CodeServiceSecret, problem.CodeUnknownService)},
	{"allowMCPTool", "POST /v1/mcp-servers/{name}/tools", "Allow a tool of an MCP server, or not any more", "It is allowed as its hash says; another one has to be looked at first. A program with a token cannot.",
		call(Service.AllowMCPTool, func(a *API, ctx context.Context, in *struct {
			MCPServerRef
			Body mcpservers.ToolChoice
		}) (mcpservers.Server, error) {
			return a.service.AllowMCPTool(ctx, in.Name, in.Body)
		}).needing(needPerson).failing(problem.CodeNotFound)},
	{"setMCPServerReach", "PUT /v1/mcp-servers/{name}/reach", "Change what an MCP server may connect to",
		"The server's tools stay as they are. Where it runs it ends, and what was allowed for longer than once is asked about again. A program with a token cannot.",
		call(Service.SetMCPServerReach, func(a *API, ctx context.Context, in *struct {
			MCPServerRef
			Body mcpservers.Reach
		}) (mcpservers.Server, error) {
			return a.service.SetMCPServerReach(ctx, in.Name, in.Body)
		}).needing(needPerson).failing(problem.CodeNotFound, problem.CodeUnknownService)},
	{"loginMCPServer", "POST /v1/mcp-servers/{name}/login", "Sign in to a remote MCP server",
		"The answer comes when the person can open the address, or when none is needed. A host besides the server's own that wants to be asked is a problem (cause host, with its name): with that in confirm, the person agrees to it. A program with a token cannot.",
		call(Service.LoginMCPServer, func(a *API, ctx context.Context, in *struct {
			MCPServerRef
			Body mcpservers.LoginRequest
		}) (mcpservers.Login, error) {
			return a.service.LoginMCPServer(ctx, in.Name, in.Body)
		}).needing(needPerson).failing(ofKeys...).failing(problem.CodeMCPServer, problem.CodeNotFound, problem.CodeRuleDenied, problem.CodeTimeout)},
	{"mcpServerLogin", "GET /v1/mcp-servers/{name}/login", "How does the sign-in to an MCP server stand?", "A program with a token cannot ask.", of[MCPServerRef](Service.MCPServerLogin).needing(needPerson).failing(problem.CodeNotFound)},
	{"logoutMCPServer", "DELETE /v1/mcp-servers/{name}/login", "Break off a sign-in to an MCP server, or forget the last one", "One that is under way is broken off, and the one before it still holds. Without one the last is forgotten, and the service is told. A program with a token cannot.", of[MCPServerRef](Service.LogoutMCPServer).needing(needPerson).failing(ofKeys...).failing(problem.CodeNotFound)},
	{"removeMCPServer", "DELETE /v1/mcp-servers/{name}", "Remove an MCP server, and what is kept for it", "A program with a token cannot.", remove[MCPServerRef](Service.RemoveMCPServer).needing(needPerson).failing(ofKeys...).failing(problem.CodeNotFound)},
}
