// Package kubernetes is the runtime that runs a task's programs in a Pod of a cluster.
//
// # Parties
//
// [New] returns a vmhost/hosted runtime. Its place is one Pod, of an image that the person
// names. Where the cluster has the custom resource Sandbox (agents.x-k8s.io/v1beta1) that is
// asked for, and makes the Pod. The agent of the pack is sent into the Pod, held to its hash,
// and started there; the conversation is on its standard input and output. Both are "exec"
// over WebSocket. The folders are copies in the Pod (vmhost/share/copied, Config.Copy).
//
// The cluster is one of the person's kubeconfig, with whatever logs in there. client-go's
// dynamic client asks it. Its executor of "exec" is not used: it reads without a bound what
// a server says of the end (tools/remotecommand/errorstream.go), and the protocol
// (v4 and v5.channel.k8s.io) is one byte before each message. The state of a Pod is asked for
// again and again and not watched, so that a watch without an end is nobody's problem.
//
// # What keeps programs in
//
//	namespaces   those of a Pod; none of the node's, no token of a service account
//	files        the image, read-only; /work, /tmp, the home and the copies, of bounded size.
//	             Landlock, set by the agent, says so again where the node has it
//	rights       none: one user who is not root, no capabilities, no new privileges
//	calls        the filter of the cluster (RuntimeDefault), and that of pack/guest/execution
//	network      a NetworkPolicy that allows nothing, none of others that allows something (what
//	             they allow adds up), and a look from inside whether the cluster enforces it.
//	             Else that is refused. With a network the policy then allows public addresses,
//	             and port 53 of every address, as those of others may: name servers are in the
//	             cluster (with OpenShift on port 5353), at the node, or at the cloud's address of
//	             metadata, whose own port stays closed. What else listens there can be reached
//	amounts      of processors, memory and disk, for all programs together; of processes what the
//	             cluster bounds them to (podPidsLimit of the kubelet, the memory)
//
// What the cluster made is compared with what was asked for before anything is sent there:
// rights, and of the container its mounts and limits. Other rights than these are refused, also
// ones that are new in Kubernetes. Containers and variables that the cluster adds are accepted.
//
// # Life
//
//	leftovers go → Sandbox or Pod → NetworkPolicy → it runs → no others → agent sent
//	  → the policy is enforced → a network, where there is to be one → agent started
//
// # Promises
//
//   - What a cluster says is bounded, in bytes and in time, and so is how long the login program
//     of the kubeconfig is waited for. Redirects are not followed, and only what has our label
//     and our kind of name is ever deleted.
//   - A Pod that ends or is deleted, and a connection that is lost, are failures that say so. Until
//     the agent was started, an API server may be away for a moment.
//   - After Close nothing is left in the cluster. When this program is killed the agent ends
//     with its connection, and the Pod with the agent; what is left of it then goes with the
//     next place of the same owner, with [Cluster.Clean], or after a day.
//
// # What it does not promise
//
// Whoever governs the cluster sees and can change what is done there, and the copies of the
// folders. Before Linux 6.12 programs of a Pod can end its agent, and so their place. A connection
// is not resumed. The look at the network is one at the API server and the name servers as the
// Pod knows them: a cluster that blocks just these is taken for one that blocks all. Whether the
// Pod's own node is kept away is left to the network plugin (Kubernetes says that no policy
// does), and policies of other kinds than NetworkPolicy are not read.
package kubernetes
