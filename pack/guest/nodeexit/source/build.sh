# Builds the add-on of exit.c. Runs as root in a chroot of locked packages
# (package workshop), without a network: the source is /in/exit.c, the result
# goes to /out. CROSS_COMPILE is the prefix of the compiler's name.
set -eu
umask 022
"${CROSS_COMPILE}gcc" -O2 -Wall -Wextra -Werror -ffreestanding -fPIC -fvisibility=hidden -nostdlib -shared \
	-Wl,--build-id=none -Wl,-z,now -Wl,-z,noexecstack -Wl,-s -o /out/exit.node /in/exit.c
chmod 0644 /out/exit.node
