# Says which wishes Kconfig did not follow: check.sh WISHES CONFIG
# It drops silently what does not exist any more or lacks something that it
# depends on.
set -eu
awk '
	# "CONFIG_X=…" is a wish for this value, "# CONFIG_X is not set" for none.
	function read_line(into) {
		if ($0 ~ /^CONFIG_[A-Za-z0-9_]+=/) {
			at = index($0, "=")
			into[substr($0, 1, at - 1)] = substr($0, at + 1)
		} else if ($0 ~ /^# CONFIG_[A-Za-z0-9_]+ is not set$/)
			into[$2] = "n"
	}
	FILENAME == ARGV[1] { read_line(wish); next }
	{ read_line(have) }
	END {
		for (name in wish) {
			is = (name in have) ? have[name] : "n"
			if (is != wish[name]) {
				printf "wished: %s=%s, is: %s\n", name, wish[name], is
				dropped = 1
			}
		}
		exit dropped
	}
' "$1" "$2" >&2
