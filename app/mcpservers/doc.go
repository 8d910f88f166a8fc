// Package mcpservers has the MCP servers that a person added for their AI: the list, what of
// each is allowed, and the calls of tasks to their tools.
//
// # Parties
//
// A server is a stranger's program. A local one runs in a place of its own ([Starter],
// package place), apart from the task that uses it: it sees the folders that the person
// named, read-only, and the hosts that they named; without these it has no network and no
// file of theirs. The client of the protocol (github.com/modelcontextprotocol/go-sdk) is
// here, on the host. pi has a tool for each tool that is allowed
// (pack/guest/agentkit/servers.cjs), which asks the host, and another AI program has them of an
// MCP server of ours that does the same (mcp.cjs beside it); so no answer passes through the
// machine of the task that could be forged there.
//
// A remote server is asked by the host, over streamable HTTP, through a network that reaches
// public addresses only (vmhost/network, and by it the computer's proxies); its own origin, and
// those that the person agreed to, are asked, and no other, whoever names one: a redirect, or
// the place where one signs in. A sign-in (OAuth 2.1 with PKCE, back at an address of this
// computer, with what nobody can guess) is begun by the person, never by a task. piwork registers
// itself where one signs in, or the person did ([Addition].Client). What the sign-in comes to is sent
// to the site where the person signed in, or to a host that this site names ([guardedCode]). Signing
// out tells the service (RFC 7009), where it says how.
//
// # What is allowed
//
//   - Nothing of a new server is. [Servers.CheckMCPServer] starts it once and lists its
//     tools; the person allows them one by one. A tool is what its name, description and
//     schema are (its hash): when one of them is another, it is off again, also where a
//     task finds that out.
//   - Each call is asked about (server-call), with all that is sent, unless a rule of the
//     task or of this tool allows it. A rule is about what the server could reach then: its hosts,
//     its services, and the hosts and rules of these. A yes beforehand to what a task does is none
//     to this.
//   - Only AI tasks of the person have servers: those of a program with a token have none,
//     and chores have none. No program with a token steers a task that has, while it is at
//     work (task.AI.Servers).
//
// # Secrets
//
// Values of variables and headers, and what signs in, are kept where keys are kept
// (app/gateway/keys); the list has their names. Secrets of services ([Reach].Services) are put into
// requests on the host, by the network of the server's machine, and it never has them; when they
// change, a server that runs starts again with its next call. A value goes to the server's program
// when it starts, over the protocol of its machine, and into nothing that is written. It is taken
// out of answers and errors, as is what of the address of a remote server may be a key: its query,
// and long parts of its path.
//
// # Bounds
//
// A server can say what it likes, as much and as long as it likes: a line, the lines of a
// call, all of its output, its tools, their texts and schemas, answers and time are bounded
// (bounds.go); one that breaks a bound is ended, and the task hears it as the failure of a
// tool. Servers share the room for what an AI is told of tools ([Use.Tools]): one with large schemas
// takes none from another. Names of tools are from a strict alphabet and begin with the server's
// name and "__", which no tool of pi has. Descriptions reach the model as quotations of the server.
package mcpservers
