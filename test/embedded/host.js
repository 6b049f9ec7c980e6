'use strict';

/**
 * Stands for the service: starts the embedded database, says where it is, and waits to be killed.
 * node host.js <folder of the compiled launcher> <data folder>
 */
const path = require('node:path');

const [launcher, dataDir] = process.argv.slice(2);
const { startEmbeddedPostgres } = require(path.join(launcher, 'embedded-postgres.js'));
const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

// A test run that is broken off must not leave its hosts behind.
process.stdin.on('end', () => process.exit()).resume();

startEmbeddedPostgres({ dataDir, fsync: false, say: (line) => tell({ said: line }) }).then(
  ({ url }) => tell({ url }),
  (error) => {
    tell({ refused: `${error.name}: ${error.message}` });
    process.exit(1);
  },
);
