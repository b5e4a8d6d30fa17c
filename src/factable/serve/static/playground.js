// The playground.
