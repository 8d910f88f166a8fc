// Package keys keeps what signs in to providers of models, and hands it to the
// gateway, to nobody else. Secrets of services and of MCP servers are kept in the
// same stores, under ids of their own ([Apart]).
//
// Parties: a person sets keys; a [Store] keeps them; a [Source] gives the one
// that holds now, and renews logins; the gateway puts it into requests. A secret
// is a [Secret] all the way: every way of printing or encoding it says
// "[secret]", only [Secret.Reveal] tells it.
//
// Stores: [Ring] is the keychain of the operating system, the default. [File] is
// a file encrypted with a passphrase (age, scrypt), for computers without a
// keychain, by choice. [Env] reads the environment and never writes. [Memory]
// forgets. What is shown of a key is an [Info]: provider, kind, where it is
// kept, and at most the last four characters.
//
// Promises: no secret is written to a plain file, a log or an error. An entry
// holds its base address too: a key is never sent to another host than the one
// it was set with. What is imported is deleted only after the store gave it back
// as it was.
package keys
