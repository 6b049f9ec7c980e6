const { createRequire } = require('node:module');
const { dirname, isAbsolute, join, relative, resolve, sep } = require('node:path');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** What suites share besides packages: the service, and what takes long to make. */
const SHARED = /^(src|migrations|test\/support\/contract)(\/|$)/;

/**
 * Loads the files of the tests for each suite, as Jest does. Node.js loads all else, once for the suites of a worker, because
 * the service takes longer to load than most suites run: packages as they are, the service as set-up.ts has compiled it.
 */
module.exports = class extends Runtime {
  constructor(config, ...more) {
    super(config, ...more);
    this.repository = config.rootDir;
    // Suites run in the context of the service. In another one they would have other timers, and another `Error`.
    const { executor } = this;
    executor.compile = (code, filename) =>
      compileFunction(code, executor.injectedModuleParameters, { filename });
  }

  requireModuleOrMock(from, name) {
    return this.isShared(from, name) ? this.requireShared(from, name) : super.requireModuleOrMock(from, name);
  }

  requireActual(from, name) {
    return this.isShared(from, name) ? this.requireShared(from, name) : super.requireActual(from, name);
  }

  /** Jest loads its own packages for each suite as well; only jest-circus keeps state. */
  requireInternalModule(from, name) {
    const isPackage = name !== undefined && !isFile(name) && name !== 'jest-circus';
    return isPackage ? createRequire(from)(name) : super.requireInternalModule(from, name);
  }

  /** Jest would replace a function of `process`, which suites share with the service. */
  installGetBuiltinModule() {}

  isShared(from, name) {
    // Jest does not load ES modules that are required.
    if (name.endsWith('.mjs')) return true;
    return isFile(name) ? SHARED.test(this.pathOf(from, name)) : name !== '@jest/globals';
  }

  requireShared(from, name) {
    if (!isFile(name) || name.endsWith('.mjs')) return createRequire(from)(name);
    const compiled = join(process.env.TEST_RUN_FOLDER, 'compiled', this.pathOf(from, name));
    return require(compiled.replace(/\.ts$/, ''));
  }

  /** @returns the path of a file in the repository, with slashes */
  pathOf(from, name) {
    return relative(this.repository, resolve(dirname(from), name)).replaceAll(sep, '/');
  }
};

function isFile(name) {
  return name.startsWith('.') || isAbsolute(name);
}
