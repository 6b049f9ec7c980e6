'use strict';

/**
 * A minimal service: starts the embedded database, prints its URL and waits to be killed.
 * Usage: node service-host.js <folder of the compiled launcher> <data folder>
 */
const path = require('node:path');

const [launcher, dataDir] = process.argv.slice(2);
const { startEmbeddedPostgres } = require(path.join(launcher, 'embedded-postgres.js'));
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

// Exits with an interrupted test run, which closes stdin.
process.stdin.on('end', () => process.exit()).resume();

startEmbeddedPostgres({ dataDir, fsync: false, print: (line) => send({ printed: line }) }).then(
  ({ url }) => send({ url }),
  (error) => {
    send({ error: `${error.name}: ${error.message}` });
    process.exit(1);
  },
);
