"""The ways to ask, a file for each library. Each consumes as the library's own pages show it."""
