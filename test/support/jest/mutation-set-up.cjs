// The first counterexample is enough to notice a mutant: to look for the shortest one takes longer than all else.
require('fast-check').configureGlobal({ endOnFailure: true });
