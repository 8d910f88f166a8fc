package operate

const nonBlock = 0
