// A shared library of a static one alone needs a file of its own.
