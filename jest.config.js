const { availableParallelism } = require('node:os');

/** ES modules among the dependencies. Jest loads CommonJS, so they are transformed like the sources. */
const esModules = [
  '@nestjs',
  '@borewit',
  '@tokenizer',
  'content-disposition',
  'cookie',
  'file-type',
  'load-esm',
  'strtok3',
  'token-types',
  'uint8array-extras',
  'uuid',
];

/**
 * Suites that take long. `npm test` leaves them out and has a shorter suite for each kind of check; `npm run test:slow`,
 * `npm run test:all` and CI run them.
 */
const slowSuites = [
  '/test/system/faults/.*(-killed|stopping|sign-up-flood|soak|unread-responses)\\.e2e\\.',
  '/test/system/(partitioned|lists/reads)\\.',
  '/test/system/model/planted-defects\\.',
  '/test/embedded-postgres/.*\\.spec\\.',
  '/test/service/(worker|create-admin)\\.',
  '/test/platform/jobs/job-queue\\.',
  '/test/platform/http/(unread-responses|openapi-document)\\.',
  '/test/modules/.*\\.browser\\.',
];

/**
 * Dependencies that have a build in one file. Every suite loads all modules anew, and these are a third of them otherwise.
 * The suites that start the service as a separate process load their ordinary builds. es-toolkit is a dependency of Nest.
 */
const bundles = {
  '^class-validator$': 'class-validator/bundles/class-validator.umd.js',
  '^es-toolkit/compat$': 'es-toolkit/dist/browser.global.js',
  '^rxjs(/operators)?$': 'rxjs/dist/bundles/rxjs.umd.js',
};

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...slowSuites],
  transform: { '^.+\\.(t|j|mj)s$': '@swc/jest' },
  moduleNameMapper: Object.fromEntries(
    Object.entries(bundles).map(([name, file]) => [name, `<rootDir>/node_modules/${file}`]),
  ),
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`, '\\.worker\\.js$'],
  globalSetup: '<rootDir>/test/support/cluster.setup.ts',
  globalTeardown: '<rootDir>/test/support/cluster.teardown.ts',
  setupFiles: ['reflect-metadata'],
  // One per CPU. All workers share one PostgreSQL server, whose connections limit the number of services.
  maxWorkers: Math.min(4, availableParallelism()),
  // Every suite loads its own copy of all modules. A new process for a worker costs less than collecting them as garbage.
  workerIdleMemoryLimit: '1GB',
  // Detects what hangs. It is no bound of a duration, since a machine may be slow or busy.
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/test/support/progress.reporter.js'],
};
