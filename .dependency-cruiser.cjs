/**
 * The architecture as rules (docs/architecture.md tells the story). test/system/architecture.spec.ts plants a violation of
 * each and expects it to be reported, so a rule that catches nothing fails the build.
 */

/** The rooms of src/modules, lowest first. Each may import those before it in the list. */
const chain = require('./src/modules/chain.json');

/** The folders of the platform, lowest first, likewise. */
const layers = require('./src/platform/layers.json');

const doors = '(http/)?index\\.ts$';
const moduleFile = '[^/]+\\.module\\.ts$';

/**
 * A layer is a folder, or in a feature without such folders the role in the name of a file: `notes.controller.ts` is http.
 * A name without a role belongs to the domain.
 */
const roles = {
  http: '\\.(controllers?|dto|change|routes|hooks|view|guard|filter|strategy)\\.ts$',
  application: '\\.(service|task|job|check)\\.ts$',
  infrastructure: '\\.(repository|schema|adapter)\\.ts$',
  domain: '/(?!index\\.ts$)[^/.]+(\\.lifecycle|\\.policy)?\\.ts$',
};
const noFolderOfLayer = `(?!.*/(${Object.keys(roles).join('|')})/)`;
const within = (layer) => `(?:(?=/.*\\b${layer}/)|${noFolderOfLayer}.*${roles[layer]})`;
const inLayer = (layer) => `^src/modules/([^/]+)${within(layer)}`;
const inOwn = (...layers) => layers.map((layer) => `^src/modules/$1${within(layer)}`);
const inOwnFile = (...files) => files.map((file) => `^src/modules/$1/.*\\b${file}`);
/** A use case of a feature without folders uses its repository, which has no port. */
const flatUseCase = `^src/modules/([^/]+)${noFolderOfLayer}.*${roles.application}`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'kernel-stands-alone',
      comment:
        'The kernel is plain TypeScript that everything stands on: nothing of the project, no framework, no database.',
      severity: 'error',
      from: { path: '^src/kernel/' },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: ['^src/kernel/', '(^|/)node_modules/(ipaddr.js|typeid-js|uuid)/'],
      },
    },
    {
      name: 'platform-knows-no-module',
      comment:
        'The plumbing stands on the kernel alone: what a module needs from it, it gets without being known.',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/', pathNot: ['^src/platform/', '^src/kernel/'] },
    },
    ...layers.slice(0, -1).map((name, place) => ({
      name: `platform-${name}-knows-nothing-above`,
      comment: `${name} is used by the folders above it in src/platform/layers.json and depends on none of them.`,
      severity: 'error',
      from: { path: `^src/platform/${name}/` },
      to: { path: `^src/platform/(${layers.slice(place + 1).join('|')})/` },
    })),
    {
      name: 'platform-folders-have-a-place',
      comment:
        'A new folder of the platform is added to src/platform/layers.json, which says what it may import.',
      severity: 'error',
      from: { path: '^src/platform/[^/]+/', pathNot: `^src/platform/(${layers.join('|')})/` },
      to: {},
    },
    {
      name: 'embedded-postgres-stands-alone',
      comment:
        'The embedded PostgreSQL is a program of its own that shares only the declaration of settings.',
      severity: 'error',
      from: { path: '^src/embedded-postgres/' },
      to: { path: '^src/', pathNot: '^src/(embedded-postgres|platform/config)/' },
    },
    {
      name: 'modules-know-no-service',
      comment: 'The service is composed of modules and platform, which do not know how they are started.',
      severity: 'error',
      from: { path: '^src/(modules|platform|kernel)/' },
      to: { path: '^src/(service/|app\\.module|index\\.ts|main\\.ts)' },
    },
    {
      name: 'developer-commands-know-no-service',
      comment:
        'They run where no service is installed and start fast: they call the API, and load nothing else.',
      severity: 'error',
      from: { path: '^src/service/developer/' },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: [
          '^src/(service/developer/|service/(command|terminal)\\.ts|kernel/)',
          '(^|/)node_modules/(commander|standardwebhooks)/',
        ],
      },
    },
    {
      name: 'service-knows-no-testing',
      comment: 'What tests of extensions use is no part of the running service.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/testing/' },
      to: { path: '^src/testing/' },
    },
    {
      name: 'domain-knows-no-layer-above',
      comment: 'Rules are decided without knowing who asks, how the answer is shown or where it is stored.',
      severity: 'error',
      from: { path: inLayer('domain') },
      to: { path: [...inOwn('application', 'infrastructure', 'http'), ...inOwnFile(moduleFile, doors)] },
    },
    {
      name: 'domain-knows-no-framework',
      comment: 'Mapping, injection and validation are declared beside the domain, not in it.',
      severity: 'error',
      from: { path: inLayer('domain') },
      to: { path: '(^|/)node_modules/(@nestjs|typeorm|class-validator|class-transformer|fastify|pg)/' },
    },
    {
      name: 'domain-knows-no-plumbing',
      comment:
        'Ports name the types of the transaction that they take part in, and of the actor. Nothing else of the platform reaches the domain.',
      severity: 'error',
      from: { path: inLayer('domain') },
      to: {
        path: '^src/platform/',
        pathNot: '^src/platform/(database/account-owned-repository|audit/audit-trail)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'application-knows-no-outer-layer',
      comment: 'A use case is the same whether HTTP, a job or a test asks, and whatever stores the result.',
      severity: 'error',
      from: { path: inLayer('application') },
      to: {
        path: [...inOwn('infrastructure', 'http'), ...inOwnFile(moduleFile, doors), '^src/platform/http/'],
        pathNot: `^src/modules/$1${noFolderOfLayer}.*\\.repository\\.ts$`,
      },
    },
    {
      name: 'application-knows-no-orm',
      comment:
        'SQL and what sends it is for repositories; a use case has the database as the platform shows it.',
      severity: 'error',
      from: { path: [inLayer('application'), inLayer('http')] },
      to: { path: '(^|/)node_modules/(typeorm|pg)/' },
    },
    {
      name: 'infrastructure-serves-the-domain',
      comment:
        'Repositories implement the ports of the domain, with the database, the audit log and the events.',
      severity: 'error',
      from: { path: inLayer('infrastructure') },
      to: {
        path: [...inOwn('application', 'http'), ...inOwnFile(moduleFile, doors), '^src/platform/'],
        pathNot: '^src/platform/(database|audit|events)/',
      },
    },
    {
      name: 'http-is-wired-by-its-module',
      comment: 'Controllers and answers belong to one module. Its file wires them, its door may offer some.',
      severity: 'error',
      from: {
        pathNot: [
          inLayer('http'),
          `^src/modules/.+/(?:${moduleFile}|${doors})`,
          '^(test|bench)/',
          '^src/index\\.ts$',
        ],
      },
      to: { path: inLayer('http') },
    },
    {
      name: 'infrastructure-is-wired-by-its-module',
      comment: 'Other code uses the port that the infrastructure implements.',
      severity: 'error',
      from: {
        pathNot: [inLayer('infrastructure'), flatUseCase, `^src/modules/.+/${moduleFile}`, '^(test|bench)/'],
      },
      to: { path: inLayer('infrastructure') },
    },
    {
      name: 'modules-have-two-doors',
      comment:
        "What a module's index.ts does not offer is its own affair. Its wiring is for the wiring of others.",
      severity: 'error',
      from: { path: '^src/modules/([^/]+)/' },
      to: {
        path: '^src/modules/',
        pathNot: ['^src/modules/$1/', `^src/modules/[^/]+/${doors}`, `^src/modules/.+/${moduleFile}`],
      },
    },
    {
      name: 'wiring-is-for-wiring',
      comment:
        'What imports the file of a module loads all of the module. The contract in index.ts loads little.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [`^src/modules/.+/${moduleFile}`, '^src/(app\\.module|index|service/application)\\.ts$'],
      },
      to: { path: `^src/modules/.+/${moduleFile}` },
    },
    {
      name: 'outside-uses-the-doors',
      comment: 'The composition root and the process see a module as other modules do.',
      severity: 'error',
      from: { path: '^src/(?!modules/)' },
      to: {
        path: '^src/modules/',
        pathNot: [`^src/modules/[^/]+/${doors}`, `^src/modules/.+/${moduleFile}`],
      },
    },
    ...chain.slice(0, -1).map((name, place) => ({
      name: `${name}-knows-nothing-above`,
      comment: `What stands above ${name} joins a port that ${name} declares.`,
      severity: 'error',
      from: { path: `^src/modules/${name}/` },
      to: { path: `^src/modules/(${chain.slice(place + 1).join('|')})/` },
    })),
    {
      name: 'modules-have-a-place',
      comment: 'A new module is put into the chain above, or nothing would say what it may use.',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: `^src/modules/(${chain.join('|')})/` },
      to: {},
    },
    {
      name: 'no-cycles',
      comment: 'What needs each other belongs together, or one of the two declares a port.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'src-is-what-ships',
      comment: 'The service runs without its tests, measurements and scripts.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'src-runs-without-development-packages',
      comment: 'An installation for production leaves them out.',
      severity: 'error',
      from: { path: '^(src|migrations|ormconfig\\.ts)' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-undeclared-packages',
      comment: 'A package that is only there because another one needs it may go at any update.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'undetermined'] },
    },
    {
      name: 'no-unresolved-imports',
      comment: 'The rules above see only what resolves. What is built may not be there yet.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '/dist/' },
    },
    {
      name: 'no-orphans',
      comment:
        'A file that nothing imports is dead, unless it is started as a process or thread of its own, or sent to a browser.',
      severity: 'error',
      from: {
        orphan: true,
        path: '^src/',
        pathNot: ['^src/main\\.ts$', '\\.worker\\.js$', '/(page|try)-script\\.js$'],
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['main', 'types'],
    },
  },
};
