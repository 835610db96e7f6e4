package limiter

import "time"

// Bucket limits how many requests are sent in a second: each takes a token, and tokens drip back.
type Bucket struct {
	Capacity float64
	PerSecond float64
	tokens   float64
	last     time.Time
}

// Allow takes a token and tells whether there was one.
func (b *Bucket) Allow(now time.Time) bool {
	b.tokens = min(b.Capacity, b.tokens+now.Sub(b.last).Seconds()*b.PerSecond)
	b.last = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
