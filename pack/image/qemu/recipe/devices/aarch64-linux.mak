# Devices for aarch64 guests on Linux hosts: what vmhost/qemu/commandline.go
# names, and what is plugged in later, for which a bus of PCI Express needs ports.
CONFIG_PCI_DEVICES=n
CONFIG_ARM_VIRT=y
CONFIG_PCIE_PORT=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_NET=y
CONFIG_VIRTIO_RNG=y
CONFIG_VIRTIO_BALLOON=y
CONFIG_VHOST_USER_FS=y
CONFIG_PVPANIC_PCI=y
CONFIG_WDT_IB6300ESB=y
