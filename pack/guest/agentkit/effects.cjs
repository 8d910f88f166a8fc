// What a shell command does beyond reading, as far as its text says. It is
// careful rather than clever: what it does not know has the effect "unknown".
// It stops no one who wants to hide something; see consent.cjs.
//
// Effects: "delete", "move", "overwrite", "change" (in place), "network",
// "install", "system" (processes, mounts, users), "unknown" (a program or code
// that it cannot see through), and "write" (something new), which nobody is
// asked about.

// Places that belong to the task alone and are thrown away or kept with it.
const SCRATCH = ["/work", "/tmp", "/state/results", "/var/tmp"];

const words = (text) => new Set(text.trim().split(/\s+/));

const READ = words(`
  [ [[ : true false test cd pwd pushd popd dirs echo printf read export unset set shopt local declare typeset readonly
  return shift break continue wait hash type which whereis command alias umask ulimit getopts let exit trap sleep date cal
  cat tac head tail less more nl wc cut paste join tr fold fmt pr column rev yes expand unexpand comm cmp diff diff3 sdiff
  sort uniq shuf seq grep egrep fgrep rg ag ack zgrep zcat bzcat xzcat zstdcat strings od xxd hexdump base64 base32
  ls dir vdir tree stat file du df find fd fdfind locate realpath readlink basename dirname pathchk
  md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum jq yq xmllint
  id whoami groups who w users uname hostname arch nproc uptime free vmstat lscpu lsblk env printenv locale getconf tty
  ps pgrep top pidof lsof awk gawk mawk sed git exiftool pdfinfo pdffonts pdfimages pdftotext identify ffprobe mediainfo soxi
  zipinfo unzip tar 7z sqlite3 python python3 node perl ruby bc dc expr factor numfmt timeout xargs man help history dpkg`);

const DELETE = words("rm rmdir unlink shred srm trash trash-put wipefs");
const CHANGE = words("chmod chown chgrp chattr setfacl setfattr touch rename prename truncate patch dos2unix unix2dos");
const NETWORK = words(`curl wget aria2c ftp sftp scp rsync ssh telnet nc ncat netcat socat ping traceroute dig host nslookup
  whois lynx links w3m http https yt-dlp youtube-dl rclone mail sendmail msmtp aws gcloud az gh`);
const INSTALL = words(`apt apt-get aptitude dpkg-reconfigure snap flatpak pip pip3 pipx uv poetry conda npm npx yarn pnpm bun
  gem bundle cargo go brew cpan make cmake`);
const SYSTEM = words(`kill pkill killall reboot shutdown halt poweroff mount umount systemctl service passwd
  useradd userdel usermod groupadd iptables nft ip ifconfig sysctl modprobe insmod mkfs fdisk parted swapon losetup`);
// They run what else their arguments or their input say.
const HOSTS = words("su chroot unshare nsenter crontab at docker podman");
const CREATE = words("mkdir mktemp"); // can only make what was not there
const WRAPPERS = words("nohup time nice ionice stdbuf setsid command builtin exec busybox chrt sudo doas env timeout xargs parallel");
const KEYWORDS = words("if then elif else fi do done while until ! { } ( ) in esac time coproc function");
const CODE = words("python python2 python3 node deno perl ruby php lua bash sh dash zsh ksh fish eval source . osascript tclsh Rscript");

/**
 * effectsOf says what a command does beyond reading.
 * @param {string} command as the shell gets it
 * @param {string} cwd where it runs
 * @returns {{effects: string[], targets: string[]}}
 */
function effectsOf(command, cwd = "/") {
  const found = { effects: new Set(), targets: new Set() };
  try {
    script(String(command), { cwd, moved: /(^|[\s;&|(])(cd|pushd|popd)\b/.test(command), found, depth: 0 });
  } catch {
    found.effects.add("unknown");
  }
  return { effects: [...found.effects].sort(), targets: [...found.targets].slice(0, 50) };
}

/** asks says whether a person is asked about these effects. */
const asks = (effects) => effects.some((e) => e !== "write");

function script(text, at) {
  if (at.depth > 8) throw new Error("too deep");
  for (const simple of parse(text)) {
    for (const inner of simple.inner) script(inner, { ...at, depth: at.depth + 1 });
    for (const r of simple.redirects) redirect(r, at);
    program(simple.words, at);
  }
}

/** parse splits a script into simple commands: words, redirections, and scripts inside of words. */
function parse(text) {
  const out = [];
  let now = { words: [], redirects: [], inner: [] };
  let word = null;
  let redirectTo = null;
  const heredocs = [];
  const endWord = () => {
    if (word === null) return;
    if (redirectTo) now.redirects.push({ op: redirectTo, to: word });
    else now.words.push(word);
    word = redirectTo = null;
  };
  const endCommand = () => {
    endWord();
    if (now.words.length || now.redirects.length || now.inner.length) out.push(now);
    now = { words: [], redirects: [], inner: [] };
  };
  const add = (s) => (word = (word ?? "") + s);
  // Between [[ and ]] there are no operators of the shell.
  const inTest = () => {
    const i = now.words.findIndex((w) => !KEYWORDS.has(w));
    return now.words[i] === "[[" && !now.words.includes("]]");
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "\\") {
      if (text[i + 1] !== "\n") add(text[i + 1] ?? "");
      i++;
    } else if (c === "'") {
      const end = text.indexOf("'", i + 1);
      if (end < 0) throw new Error("open quote");
      add(text.slice(i + 1, end));
      i = end;
    } else if (c === '"') {
      add("");
      for (i++; ; i++) {
        if (i >= text.length) throw new Error("open quote");
        if (text[i] === '"') break;
        if (text[i] === "\\") add(text[++i] ?? "");
        else if (text[i] === "`" || text.startsWith("$(", i)) i = substitution(i);
        else add(text[i]);
      }
    } else if (c === "`" || text.startsWith("$(", i) || text.startsWith("<(", i) || text.startsWith(">(", i)) {
      i = substitution(i);
    } else if (c === "#" && word === null) {
      while (i + 1 < text.length && text[i + 1] !== "\n") i++;
    } else if (c === "\n") {
      endCommand();
      while (heredocs.length) i = skipHeredoc(heredocs.shift(), i);
    } else if (c === " " || c === "\t") {
      endWord();
    } else if (/[&|()<>]/.test(c) && word === null && inTest()) {
      continue;
    } else if (c === "<" || c === ">" || (c === "&" && text[i + 1] === ">")) {
      if (word !== null && /^\d+$/.test(word)) word = null; // a descriptor's number
      endWord();
      const op = /^(&>>|&>|<<<|<<-|<<|<>|>>|>\||>&|<&|>|<)/.exec(text.slice(i))[0];
      i += op.length - 1;
      if (op === "<<" || op === "<<-") {
        const m = /^[ \t]*(?:'([^']*)'|"([^"]*)"|([^\s;&|<>()]+))/.exec(text.slice(i + 1));
        if (!m) throw new Error("no end of the here-document");
        heredocs.push({ end: m[1] ?? m[2] ?? m[3].replace(/\\/g, ""), tabs: op === "<<-" });
        i += m[0].length;
      } else redirectTo = op;
    } else if (c === ";" || c === "&" || c === "|" || c === "(" || c === ")") {
      endCommand();
    } else add(c);
  }
  endCommand();
  return out;

  // $( ), ` `, <( ): what is inside is a script of its own; its place in the word is not known.
  function substitution(i) {
    let end;
    if (text[i] === "`") {
      end = text.indexOf("`", i + 1);
      if (end < 0) throw new Error("open substitution");
      now.inner.push(text.slice(i + 1, end));
    } else {
      end = closing(text, i + 2);
      const inside = text.slice(i + 2, end);
      if (!inside.startsWith("(")) now.inner.push(inside); // $(( )) is arithmetic
    }
    add("$?");
    return end;
  }

  function skipHeredoc({ end, tabs }, i) {
    while (i < text.length) {
      const nl = text.indexOf("\n", i + 1);
      const lineEnd = nl < 0 ? text.length : nl;
      const line = text.slice(i + 1, lineEnd);
      i = lineEnd;
      if ((tabs ? line.replace(/^\t+/, "") : line) === end) break;
      for (const m of line.matchAll(/\$\(([^)]*)\)|`([^`]*)`/g)) out.push({ words: [], redirects: [], inner: [m[1] ?? m[2]] });
    }
    return i;
  }
}

/** closing finds the parenthesis that closes what begins at i. */
function closing(text, i) {
  for (let depth = 1; i < text.length; i++) {
    const c = text[i];
    if (c === "\\") i++;
    else if (c === "'" || c === '"') {
      let end = i + 1;
      while (end < text.length && text[end] !== c) end += c === '"' && text[end] === "\\" ? 2 : 1;
      i = end;
    } else if (c === "(") depth++;
    else if (c === ")" && --depth === 0) return i;
  }
  throw new Error("open substitution");
}

function redirect({ op, to }, at) {
  if (op[0] === "<" && op !== "<>") return;
  if (op === ">&" && /^(\d+|-)$/.test(to)) return;
  if (/^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/.test(to)) return;
  if (/^\/dev\/(tcp|udp)\//.test(to)) return note(at, "network", []);
  note(at, op.endsWith(">>") ? "change" : "overwrite", [to]);
}

/** note adds an effect on files, unless all of them are the task's own. */
function note(at, effect, targets) {
  const fileEffect = ["delete", "move", "overwrite", "change"].includes(effect);
  if (fileEffect && targets.length && targets.every((t) => isScratch(t, at))) effect = "write";
  at.found.effects.add(effect);
  for (const t of targets) at.found.targets.add(t);
}

function isScratch(name, at) {
  if (/[$`*?~{]/.test(name.replace(/\*/g, "")) || name.includes("..")) return false;
  if (!name.startsWith("/")) {
    if (at.moved || !(at.cwd + "/").startsWith("/work/")) return false;
    name = at.cwd + "/" + name;
  }
  return SCRATCH.some((s) => name.startsWith(s + "/") && name.length > s.length + 1);
}

const plain = (args) => args.filter((a) => !a.startsWith("-"));

function program(all, at) {
  let w = all;
  while (w.length && (KEYWORDS.has(w[0]) || /^[A-Za-z_]\w*\+?=/.test(w[0]))) w = w.slice(1);
  if (!w.length || w[0] === "for" || w[0] === "case" || w[0] === "select") return;
  const name = w[0].replace(/^.*\//, "");
  const args = w.slice(1);
  if (!/^[\w.[:+-]+$/.test(name)) return note(at, "unknown", []); // $CMD and the like
  if (name !== "command" || !/^-[vV]$/.test(args[0] ?? "")) {
    if (WRAPPERS.has(name)) return wrapped(name, args, at);
  }
  if (DELETE.has(name)) return note(at, "delete", plain(args));
  if (NETWORK.has(name)) return note(at, "network", plain(args).slice(0, 5));
  if (INSTALL.has(name)) return note(at, "install", plain(args).slice(0, 5));
  if (SYSTEM.has(name) || name.startsWith("mkfs")) return note(at, "system", []);
  if (HOSTS.has(name)) {
    note(at, "system", []);
    return note(at, "unknown", []);
  }
  if (CREATE.has(name)) return note(at, "write", []);
  if (CHANGE.has(name)) return note(at, "change", plain(args).slice(name === "chmod" || name === "chown" ? 1 : 0));
  if (CODE.has(name)) return code(name, args, at);
  if (special[name]) return special[name](args, at, name);
  if (!READ.has(name)) note(at, "unknown", []);
}

/** wrapped looks at the command that another one starts. */
function wrapped(name, args, at) {
  if (name === "sudo" || name === "doas") at.found.effects.add("system");
  const withValue = { nice: /^-n$/, ionice: /^-[cn]$/, env: /^-[uCS]$/, xargs: /^-[IEdLnPsa]$/, timeout: /^-[ks]$/, stdbuf: /^-[ioe]$/, sudo: /^-[ugCh]$/, parallel: /^-j$/ };
  let i = 0;
  while (i < args.length && (args[i].startsWith("-") || /^\w+=/.test(args[i]))) i += withValue[name]?.test(args[i]) ? 2 : 1;
  if (name === "timeout" || name === "chrt") i++; // its own argument
  const rest = args.slice(i);
  if (!rest.length) {
    if (name === "sudo" || name === "doas") note(at, "unknown", []); // a shell
    return; // env alone prints
  }
  if (name === "xargs" || name === "parallel") rest.push("$?"); // names come from elsewhere
  program(rest, { ...at });
}

/** code is what cannot be seen through, but for asking an interpreter what it is. */
function code(name, args, at) {
  if (args.length === 1 && /^(-V|-v|--version|--help|-h)$/.test(args[0])) return;
  if (/^(bash|sh|dash|zsh|ksh)$/.test(name)) {
    const i = args.findIndex((a) => /^-\w*c$/.test(a));
    if (i >= 0 && args[i + 1] !== undefined) return script(args[i + 1], { ...at, depth: at.depth + 1 });
  }
  if (name === "eval" && args.every((a) => !a.includes("$"))) return script(args.join(" "), { ...at, depth: at.depth + 1 });
  note(at, "unknown", []);
}

const last = (args) => plain(args).slice(-1);
const has = (args, ...flags) => args.some((a) => flags.some((f) => a === f || a.startsWith(f + "=") || (/^-\w$/.test(f) && /^-\w+$/.test(a) && a.includes(f[1]))));
const into = (args) => {
  const i = args.findIndex((a) => a === "-t" || a === "--target-directory");
  return i >= 0 ? [args[i + 1] ?? ""] : last(args);
};

/** special are programs whose arguments decide. */
const special = {
  cp: (a, at) => note(at, has(a, "-n", "--no-clobber") ? "write" : "overwrite", into(a)),
  install: (a, at) => note(at, "overwrite", into(a)),
  ln: (a, at) => note(at, has(a, "-f", "--force") ? "overwrite" : "write", into(a)),
  mv: (a, at) => note(at, "move", plain(a)),
  tee: (a, at) => note(at, has(a, "-a", "--append") ? "change" : "overwrite", plain(a)),
  dd: (a, at) => note(at, "overwrite", a.filter((x) => x.startsWith("of=")).map((x) => x.slice(3))),
  split: (a, at) => note(at, "write", []),
  csplit: (a, at) => note(at, "write", []),
  find: (a, at) => {
    if (a.includes("-delete")) note(at, "delete", plain(a).slice(0, 1));
    if (a.some((x) => /^-f(print|ls)/.test(x))) note(at, "overwrite", []);
    a.forEach((x, i) => {
      if (!/^-(exec|execdir|ok|okdir)$/.test(x)) return;
      const end = a.findIndex((y, j) => j > i && (y === ";" || y === "+"));
      program([...a.slice(i + 1, end < 0 ? a.length : end), "$?"], at);
    });
  },
  fd: (a, at) => a.some((x) => /^(-x|-X|--exec|--exec-batch)$/.test(x)) && program([...a.slice(a.findIndex((x) => /^(-x|-X|--exec|--exec-batch)$/.test(x)) + 1), "$?"], at),
  sed: (a, at) => {
    if (a.some((x) => /^(--in-place|-[nrEszu]*i)/.test(x))) note(at, "change", plain(a).slice(1));
    else if (a.some((x) => /(^|[;{}\d$/!\s])[we]\s+\S|\/[gIp\d]*[we](\s|$)|^[we]\s/.test(x))) note(at, "unknown", []);
  },
  awk: (a, at) => a.some((x) => /system\s*\(|\|\s*getline|\|\s*"|>\s*["$\w(]|\|&/.test(x)) && note(at, "unknown", []),
  sort: (a, at) => has(a, "-o", "--output") && note(at, "overwrite", []),
  uniq: (a, at) => plain(a).length > 1 && note(at, "overwrite", last(a)),
  tree: (a, at) => has(a, "-o") && note(at, "overwrite", []),
  date: (a, at) => has(a, "-s", "--set") && note(at, "system", []),
  hostname: (a, at) => plain(a).length && note(at, "system", []),
  jq: () => {},
  yq: (a, at) => has(a, "-i", "--inplace") && note(at, "change", last(a)),
  xmllint: (a, at) => has(a, "--output", "-o") && note(at, "overwrite", []),
  exiftool: (a, at) => a.some((x) => /^-[\w:*]+[-+^]?<?=/.test(x) || /^-(overwrite_original|delete_original|restore_original|o|w|tagsfromfile|csv=|json=)/i.test(x)) && note(at, "change", last(a)),
  git: (a, at) => {
    const sub = a.find((x, i) => !x.startsWith("-") && !/^-[Cc]$/.test(a[i - 1] ?? ""));
    if (/^(clone|fetch|pull|push|remote|submodule|ls-remote)$/.test(sub)) return note(at, sub === "remote" && a.at(-1) === "-v" ? "write" : "network", []);
    if (!/^(status|log|diff|show|branch|blame|grep|ls-files|ls-tree|rev-parse|describe|shortlog|cat-file|reflog|version|help)?$/.test(sub ?? "")) return note(at, "change", []);
    if (sub === "branch" && /^-[dDmMcC]/.test(a[1] ?? "")) note(at, "change", []);
  },
  unzip: (a, at) => !has(a, "-l", "-t", "-p", "-v", "-Z") && note(at, has(a, "-n") ? "write" : "overwrite", a.includes("-d") ? [a[a.indexOf("-d") + 1] ?? ""] : []),
  tar: (a, at) => {
    const mode = (a[0] ?? "").replace(/^-+/, "");
    if (has(a, "--list") || /^\w*t/.test(mode)) return has(a, "--to-command") ? note(at, "unknown", []) : undefined;
    const where = a.includes("-C") && /^\w*x/.test(mode) ? [a[a.indexOf("-C") + 1] ?? ""] : [];
    note(at, "overwrite", where);
  },
  "7z": (a, at) => !/^[lt]$/.test(a[0] ?? "") && note(at, "overwrite", []),
  gzip: (a, at) => !has(a, "-c", "-l", "-t", "--stdout") && note(at, "delete", plain(a)),
  sqlite3: (a, at) => !a.some((x) => /^-readonly$/.test(x)) && note(at, "unknown", []),
  dpkg: (a, at) => !/^(-l|-L|-s|-S|--list|--listfiles|--status|--search)$/.test(a[0] ?? "") && note(at, "install", []),
  alias: (a, at) => a.some((x) => x.includes("=")) && note(at, "unknown", []),
  trap: (a, at) => a.length > 1 && note(at, "unknown", []),
  pdfimages: (a, at) => !has(a, "-list") && note(at, "write", []),
  pdftotext: (a, at) => plain(a).length > 1 && a.at(-1) !== "-" && note(at, "overwrite", last(a)),
};
for (const [also, as] of [["fdfind", "fd"], ["gawk", "awk"], ["mawk", "awk"], ["gunzip", "gzip"], ["bzip2", "gzip"], ["xz", "gzip"], ["unxz", "gzip"], ["zstd", "gzip"]]) special[also] = special[as];

module.exports = { asks, effectsOf };
