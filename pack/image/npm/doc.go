// Package npm gets packages of the npm registry in exactly the versions that a
// lock file names.
//
// # Parties
//
//   - The registry that the machine's own npm is configured with (.npmrc,
//     environment, proxies, credentials): npm(1) itself fetches. No name of a
//     host is known here or gets into a file.
//   - A [Lock] lists packages with version, size and SHA-512 ("integrity", as
//     in package-lock.json and https://www.w3.org/TR/SRI/).
//   - A [Store] is a directory of package files by that hash.
//   - [Unpack] lays out files of a package.
//
// # Promises
//
//   - What is fetched is held to the lock. A version that the registry gives
//     another content for is an error, one that it no longer has too: another
//     version is a decision for the recipe.
//   - Scripts of packages are never run, and dependencies never followed: only
//     what the lock names is fetched.
//   - Archives are read as hostile: names stay below the directory, links,
//     devices and absurd sizes are refused.
package npm
