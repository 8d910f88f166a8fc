package mcpservers

import (
	"time"
)

// Server is one that a person added.
type Server struct {
	Name    string   `json:"name" maxLength:"24" doc:"what it is called here, and how the names of its tools begin"`
	ID      string   `json:"id" doc:"of this entry: a server that is added again has another"`
	Command string   `json:"command,omitempty" doc:"its program, as it is called where it runs"`
	Args    []string `json:"args,omitempty"`
	Env     []string `json:"env,omitempty" doc:"names of the variables that it is given; their values are kept where keys are"`
	Folders []string `json:"folders,omitempty" doc:"folders of this computer that it sees, read-only, such as that of its program"`
	Hosts   []string `json:"hosts,omitempty" doc:"what it may connect to, written as rules of the network are; without any it has no network. Of a remote one, the hosts besides its own that the person agreed to"`

	Services []string `json:"services,omitempty" doc:"services of the person that it uses: their secrets are put into its requests on this computer, and it never has them"`
	Turn     int      `json:"turn,omitempty" doc:"how often what it may connect to was changed"`

	URL      string   `json:"url,omitempty" doc:"a remote server: where it is reached, by this computer and not by a task"`
	Headers  []string `json:"headers,omitempty" doc:"names of the headers that it is sent; their values are kept where keys are"`
	SignedIn bool     `json:"signedIn,omitempty" doc:"one signed in to it"`
	Client   string   `json:"client,omitempty" doc:"as what piwork is known where one signs in, when the person has registered it there; its secret, if any, is kept where keys are"`

	Tools   []Tool     `json:"tools,omitempty" doc:"as they were when it was checked last"`
	Checked *time.Time `json:"checked,omitempty"`
}

// ToolState says whether an AI may use a tool.
type ToolState string

// States of tools.
const (
	ToolOff     ToolState = "off"
	ToolOn      ToolState = "on"
	ToolChanged ToolState = "changed" // off: it was allowed, and is another one since
	ToolUnfit   ToolState = "unfit"   // it cannot be allowed; the reason says why
)

// Reasons why a tool cannot be allowed.
const (
	UnfitName   = "name"   // it has characters that no tool may have, is too long, or another tool has it
	UnfitSchema = "schema" // what it takes is not said in a form that is read, or is too large
)

// Tool is one of a server.
type Tool struct {
	Name        string         `json:"name" doc:"as the server has it"`
	Offered     string         `json:"offered,omitempty" doc:"as an AI has it"`
	Description string         `json:"description,omitempty" doc:"the server's own words"`
	Schema      map[string]any `json:"schema,omitempty" doc:"what it takes"`
	Hash        string         `json:"hash" doc:"of its name, description and schema"`
	State       ToolState      `json:"state" enum:"off,on,changed,unfit"`
	Reason      string         `json:"reason,omitempty" enum:"name,schema" doc:"why it is unfit"`
}

// Addition is a server that is to be added.
type Addition struct {
	Name    string            `json:"name" maxLength:"24" doc:"small letters, digits and -"`
	Command string            `json:"command,omitempty" maxLength:"4096" doc:"its program: node, python3, or a path where it runs"`
	Args    []string          `json:"args,omitempty" maxItems:"64" doc:"paths in one of its folders become those that it sees"`
	Env     map[string]string `json:"env,omitempty" doc:"its variables; the values are kept where keys are"`
	Folders []string          `json:"folders,omitempty" maxItems:"4" doc:"folders of this computer that it sees, read-only"`
	Hosts   []string          `json:"hosts,omitempty" maxItems:"16" doc:"what it may connect to; without any it has no network"`

	Services []string `json:"services,omitempty" maxItems:"8" doc:"services of the person: their secrets are put into its requests on this computer, and it never has them"`

	URL     string            `json:"url,omitempty" maxLength:"2048" doc:"in place of a program: a remote server, reached with https"`
	Headers map[string]string `json:"headers,omitempty" doc:"what it is sent with each request; the values are kept where keys are"`

	Client       string `json:"client,omitempty" maxLength:"512" doc:"of a remote server whose service takes only programs that it knows: as what the person registered piwork there, with http://127.0.0.1/mcp as the address to come back to"`
	ClientSecret string `json:"clientSecret,omitempty" maxLength:"2048" doc:"what the service gave out with client, if it did; it is kept where keys are"`
}

// remote reports whether a server is reached at an address.
func (v Server) remote() bool { return v.URL != "" }

// Import is a file with servers, as other programs have it.
type Import struct {
	Config  string   `json:"config" maxLength:"262144" doc:"JSON with mcpServers"`
	Folders []string `json:"folders,omitempty" maxItems:"4" doc:"folders that each program among them sees, read-only"`
	Hosts   []string `json:"hosts,omitempty" maxItems:"16" doc:"what each program among them may connect to; without any it has no network"`
}

// ToolChoice allows a tool, or not any more.
type ToolChoice struct {
	Tool  string `json:"tool" maxLength:"128" doc:"its name, as the server has it"`
	Hash  string `json:"hash,omitempty" maxLength:"64" doc:"of the tool that is allowed, as it was shown"`
	Allow bool   `json:"allow"`
}

// document is the file with the list.
type document struct {
	V       int      `json:"v"`
	Servers []Server `json:"servers"`
}
