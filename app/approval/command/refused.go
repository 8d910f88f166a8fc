package command

import "strings"

// exactly are programs that do one thing, whatever their arguments are.
var exactly = byWord(map[string]string{
	Delete:    `rm rmdir unlink shred`,
	Move:      `mv`,
	Overwrite: `cp ln dd truncate tee`,
	Change:    `touch chmod chown chgrp`,
	System:    `kill pkill killall`,
})

// also are effects of programs that can do more.
var also = byWord(map[string]string{
	Delete: `srm trash trash-put`,
	Change: `setfacl setfattr rename prename patch dos2unix unix2dos exiftool`,
	Network: `curl wget aria2c ftp sftp scp rsync ssh telnet nc ncat netcat socat ping traceroute dig host nslookup whois getent
		lynx links w3m http https yt-dlp youtube-dl rclone mail sendmail msmtp aws gcloud az gh`,
	Install: `apt apt-get aptitude dpkg dpkg-reconfigure snap flatpak pip pip3 pipx uv poetry conda npm npx yarn pnpm bun gem bundle cargo go
		brew cpan make cmake`,
	System: `sudo doas su reboot shutdown halt poweroff mount umount systemctl service passwd useradd userdel usermod groupadd
		iptables nft ip ifconfig sysctl modprobe insmod mkfs fdisk parted swapon losetup`,
})

func byWord(lists map[string]string) map[string]string {
	out := map[string]string{}
	for effect, list := range lists {
		for _, w := range strings.Fields(list) {
			out[w] = effect
		}
	}
	return out
}

// refused notes the effects of a program that the person is asked about. For a program
// that does exactly one thing (rm deletes), its operands are the targets.
func (c *checker) refused(name string, args []word) {
	if effect, ok := exactly[name]; ok {
		var targets []word
		for _, w := range args {
			if !w.known || w.operand() {
				targets = append(targets, w)
			}
		}
		c.note(effect, targets...)
		return
	}
	if effect, ok := also[name]; ok {
		c.note(effect)
	}
	c.unknown()
}
