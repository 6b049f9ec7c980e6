const { availableParallelism } = require('node:os');

/** Nest and what it builds on are ES modules; Jest loads them as CommonJS, so they are transformed like the sources. */
const esModules = [
  '@nestjs',
  '@borewit',
  '@tokenizer',
  'content-disposition',
  'cookie',
  'es-toolkit',
  'file-type',
  'load-esm',
  'strtok3',
  'token-types',
  'uint8array-extras',
  'uuid',
];

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  transform: { '^.+\\.(t|j|mj)s$': '@swc/jest' },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`, '\\.worker\\.js$'],
  globalSetup: '<rootDir>/test/support/cluster.setup.ts',
  globalTeardown: '<rootDir>/test/support/cluster.teardown.ts',
  setupFiles: ['reflect-metadata'],
  // One for each processor; all share one PostgreSQL, whose connections bound the number of services.
  maxWorkers: Math.min(4, availableParallelism()),
  testTimeout: 30_000,
};
