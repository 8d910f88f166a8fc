package samples

import "math"

// clouds lays white over a sky.
func clouds(c rgb, x, y, much float64) rgb {
	v := noise(x*4, y*12) + noise(x*9, y*26)/2 + noise(x*20, y*50)/4
	return mix(c, hex(0xffffff), max(0, v-0.15)*much)
}

// bell is 1 at 0 and falls off to both sides.
func bell(v float64) float64 { return math.Exp(-v * v) }

func sea(x, y float64) rgb {
	const horizon = 0.56
	if y < horizon {
		c := mix(hex(0x5b8fc7), hex(0xffd9a8), y/horizon)
		c = mix(c, hex(0xfff3d0), math.Exp(-8*math.Hypot((x-0.62)*1.33, y-0.47)))
		c = clouds(c, x, y, 0.45*(1-y/horizon)+0.1)
		return mix(c, hex(0xfffbe8), disc(x, y, 0.62, 0.46, 0.055, 0.01))
	}
	down := (y - horizon) / (1 - horizon)
	wave := noise(x*(60-50*down), 1/(0.02+down)*3) * (0.3 + down)
	c := mix(hex(0xa9b8bf), hex(0x1d4b66), math.Sqrt(down)+wave*0.12)
	glitter := bell((x-0.62)/(0.04+0.12*down)) * max(0, noise(x*90, down*140)+0.35)
	c = mix(c, hex(0xfff0c4), glitter*0.8)
	// A small boat.
	bx, by := x-0.27, y-0.615
	if by > 0 && by < 0.02 && math.Abs(bx) < 0.045-by*0.7 {
		return hex(0x4a2f27)
	}
	return c
}

var forestLine, balloonHills, nightHills = hills(9, 11), hills(2, 29), hills(2.5, 53)

// ranges are those of the mountains, the farthest first.
var ranges = []struct {
	base, height float64
	line         func(x float64) float64
	colour, snow rgb
	snowAt       float64
}{
	{0.42, 0.15, hills(2.5, 3), hex(0x8fa3bd), hex(0xf4f8fc), 0.11},
	{0.56, 0.13, hills(3, 19), hex(0x5d7590), hex(0xe9eff5), 0.07},
	{0.70, 0.08, hills(4, 41), hex(0x35534c), rgb{}, 0},
	{0.84, 0.06, hills(5, 67), hex(0x24402f), rgb{}, 0},
}

func mountains(x, y float64) rgb {
	c := clouds(mix(hex(0x3f7fc4), hex(0xd8e9f6), y/0.6), x, y, 0.6)
	for _, l := range ranges {
		top := l.base - l.height*l.line(x)
		if y < top {
			continue
		}
		shade := 0.12 * noise(x*40+y*30, y*40)
		lit := mix(l.colour, hex(0xffffff), 0.1+shade)
		if l.snowAt > 0 && y-top < l.snowAt*(0.6+0.5*noise(x*30, 2)) {
			lit = mix(l.snow, l.colour, 0.15+shade)
		}
		c = mix(lit, c, 0.06)
	}
	return c
}

func field(x, y float64) rgb {
	horizon := 0.45 + 0.03*noise(x*2, 5)
	if y < horizon {
		c := clouds(mix(hex(0x2f86d6), hex(0xcfe6f7), y/horizon), x, y, 0.9)
		forest := horizon - 0.035 - 0.02*forestLine(x)
		if y > forest {
			return mix(hex(0x1f4a2a), hex(0x3b6b3c), noise(x*80, y*80))
		}
		return c
	}
	down := (y - horizon) / (1 - horizon)
	rows := math.Sin((x - 0.45) / (0.03 + down*0.35) * 26)
	blossom := 0.5 + 0.5*noise(x*300/(0.3+down), down*400)
	c := mix(hex(0xd9b21c), hex(0xffe14a), blossom)
	c = mix(c, hex(0x5f8a2b), soft(rows-0.75, 0.5)*0.8)
	return mix(c, hex(0xf2dc7a), (1-down)*0.35)
}

func balloon(x, y float64) rgb {
	c := clouds(mix(hex(0x6fb2ea), hex(0xfbe3d0), y/0.95), x, y, 0.5)
	if hill := 0.86 - 0.07*balloonHills(x); y > hill {
		c = mix(hex(0x6d8f4a), hex(0x3d6138), (y-hill)*4+0.2*noise(x*50, y*50))
	}
	for _, b := range []struct{ x, y, r, hue float64 }{{0.42, 0.36, 0.2, 0}, {0.78, 0.25, 0.07, 1}, {0.15, 0.58, 0.05, 2}} {
		dx, dy := (x-b.x)*Width/Height/b.r, (y-b.y)/b.r
		if dy > 0 {
			dy *= 0.8 // narrower to the bottom
		}
		switch d := math.Hypot(dx*(1+max(0, dy)*0.35), dy); {
		case d < 1:
			stripe := math.Sin(dx / math.Sqrt(max(0.05, 1-dy*dy)) * 7)
			palettes := [][2]rgb{{hex(0xd64535), hex(0xf6c344)}, {hex(0x2f6db5), hex(0xeaf2fb)}, {hex(0x6b3fa0), hex(0xf08a4b)}}
			p := palettes[int(b.hue)]
			c = mix(p[0], p[1], soft(stripe, 0.3))
			c = mix(c, hex(0x000000), 0.35*max(0, dx*0.6+dy*0.3)+0.08)
			c = mix(c, hex(0xffffff), 0.35*math.Exp(-6*math.Hypot(dx+0.4, dy+0.45)))
		case math.Abs(dx) < 0.14 && (y-b.y)/b.r > 1.5 && (y-b.y)/b.r < 1.72:
			c = mix(hex(0x7a4a24), hex(0x4b2c15), dx*3)
		case (y-b.y)/b.r > 1.1 && (y-b.y)/b.r < 1.5 && math.Abs(math.Abs(dx)-0.24+((y-b.y)/b.r-1.1)*0.28) < 0.012:
			c = hex(0x3a2a20) // ropes
		}
	}
	return c
}

func night(x, y float64) rgb {
	c := mix(hex(0x0a1330), hex(0x2c3e6b), y/0.7)
	band := bell((y-0.55+x*0.5)/0.13) * (0.6 + 0.4*noise(x*12, y*12))
	c = mix(c, hex(0x8f94c9), band*0.35)
	// A star in some cells of a grid, each at a place of its own.
	const grid = 70
	gx, gy := math.Floor(x*grid), math.Floor(y*grid*0.75)
	if h := hash(int(gx)+500, int(gy)); h > 0.72-band*0.3 {
		sx, sy := (gx+0.2+0.6*hash(int(gx), int(gy)+900))/grid, (gy+0.2+0.6*hash(int(gx)+77, int(gy)))/(grid*0.75)
		c = mix(c, hex(0xfdf6e3), disc(x, y, sx, sy, 0.0006+0.0022*(h-0.72)*3, 0.003))
	}
	c = mix(c, hex(0xf7f1d5), disc(x, y, 0.8, 0.2, 0.06, 0.006)*(0.9+0.1*noise(x*60, y*60)))
	c = mix(c, hex(0xf7f1d5), 0.25*math.Exp(-9*math.Hypot((x-0.8)*1.33, y-0.2)))
	if hill := 0.8 - 0.06*nightHills(x); y > hill {
		c = mix(hex(0x0b1a1c), hex(0x14302c), (y-hill)*3)
		// A house with light in its window.
		hx, hy := x-0.3, y-0.82
		switch {
		case math.Abs(hx) < 0.012 && hy > 0.02 && hy < 0.05:
			c = hex(0xffd678)
		case math.Abs(hx) < 0.045 && hy > 0 && hy < 0.07:
			c = hex(0x1a1412)
		}
		c = mix(c, hex(0xffc95c), 0.25*math.Exp(-40*math.Hypot(hx*1.33, hy-0.035)))
	}
	return c
}
