// Package services has the services of the web that a person lets tasks use with a secret of
// theirs: GitHub, a registry of packages, a server of their own.
//
// A [Service] is a name, hosts, rules about requests to each of them, and where the secret is
// put. The secret is where keys are kept (app/gateway/keys), named by the service and never
// read by anybody but a loan and a test. Nothing is lent before a person names the service for a
// task; only a person may (package access), since a task with a service is a way to use its
// secret.
//
// # A loan
//
// [Catalogue.Lend] reads the secrets for one task, and says for which hosts its network is to
// judge requests (vmhost/network/inspect). The secret goes into requests on this computer; the
// machine has none of it. A loan ends with the place of the task, and when the service changes:
// then its requests are refused from that moment on.
//
// # To which hosts a secret goes
//
// A secret is kept with the hosts and the places that it was given for. A service whose hosts
// or places are changed has none until it is given anew, also when a stranger changed the
// file:
//
//	services.json  {"v":1,"services":[{"name":"hub","hosts":[{"host":"api.example.org",
//	                "put":{"header":"Authorization","template":"Bearer {secret}"},
//	                "rules":["allow GET /repos/**"]}]}]}
//
// # What is written down
//
// Requests are counted by service, method, host, path and outcome, in the directory of the
// task (requests.json; queries and bodies are not part of it), and in the audit log with a
// digest of the path: ten seconds after the first that is new, and at the end. Where there are
// too many kinds, the rest has no path in the list. The audit log is told at once when it could
// not be told of all kinds of requests that were allowed; only refused ones lose their path.
//
// Locks: Catalogue.mu before Loan.mu; Requests.writing before Requests.mu.
package services
