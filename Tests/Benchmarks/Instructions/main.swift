// Redirects for an instruction counter: the real server with one loop, its links in memory, and a client that sends the same
// bytes again and again. `config/instructions` runs it under callgrind; by itself it says only that it ran.
Count.run()
