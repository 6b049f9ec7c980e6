import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Client } from 'pg';
import { EntitySchema } from 'typeorm';
import { Lifecycle } from '../../src/kernel/lifecycle';
import chain from '../../src/modules/chain.json';
import layers from '../../src/platform/layers.json';
import { schema } from '../support/core';
import { databaseUrl, TEMPLATE } from '../support/databases';
import { loadedWith } from '../support/loaded-files';
import { Finding, Plant, PlantedTree, ROOT, Violation } from '../support/planted-tree';
import { filesIn, repositoryFiles, tablesNamedIn, textOf } from '../support/source-text';

const importing = (...targets: string[]): string => targets.map((target) => `import '${target}';\n`).join('');

interface Rules {
  forbidden: { name: string; severity: string }[];
}

function rulesOfDependencies(): Rules {
  return jest.requireActual<Rules>(`${ROOT}/.dependency-cruiser.cjs`);
}

/** Two tools read all sources, and the machine may be busy. */
const TOOLS_MS = 120_000;

/** By dependency rule: the files that violate it. */
const importPlants: Record<string, Plant[]> = {
  'kernel-stands-alone': [
    { file: 'src/kernel/planted-project.ts', text: importing('../platform/telemetry/log') },
    { file: 'src/kernel/planted-framework.ts', text: importing('@nestjs/common') },
  ],
  'platform-knows-no-module': [{ file: 'src/platform/planted.ts', text: importing('../modules/users') }],
  ...Object.fromEntries(
    layers.slice(0, -1).map((lower, place) => [
      `platform-${lower}-knows-nothing-above`,
      [
        {
          file: `src/platform/${lower}/planted-upwards.ts`,
          text: importing(...layers.slice(place + 1).map((upper) => `../${upper}/planted-ground`)),
        },
      ],
    ]),
  ),
  'platform-folders-have-a-place': [
    { file: 'src/platform/planted/planted.ts', text: importing('../../kernel/clock') },
  ],
  'embedded-postgres-stands-alone': [
    { file: 'src/embedded-postgres/planted.ts', text: importing('../platform/database/database') },
  ],
  'modules-know-no-service': [
    {
      file: 'src/modules/accounts/application/planted-service.ts',
      text: importing('../../../service/service'),
    },
  ],
  'developer-commands-know-no-service': [
    {
      file: 'src/service/developer/planted.ts',
      text: importing('../service', '../../platform/telemetry/log', 'pg'),
    },
  ],
  'service-knows-no-testing': [{ file: 'src/service/planted.ts', text: importing('../testing/api-client') }],
  'domain-knows-no-layer-above': [
    '../application/accounts.service',
    '../infrastructure/sql-accounts.repository',
    '../http/accounts.dto',
    '../accounts.module',
    '../index',
  ]
    .map((target, index) => ({
      file: `src/modules/accounts/domain/planted-${index}.ts`,
      text: importing(target),
    }))
    .concat({
      file: 'src/modules/accounts/notes/planted-feature.ts',
      text: importing('./notes.service', './notes.repository', './notes.controllers', '../accounts.module'),
    }),
  'domain-knows-no-framework': [
    { file: 'src/modules/accounts/domain/planted-framework.ts', text: importing('typeorm') },
    { file: 'src/modules/accounts/notes/planted-framework.ts', text: importing('@nestjs/common') },
  ],
  'domain-knows-no-plumbing': [
    {
      file: 'src/modules/accounts/domain/planted-plumbing.ts',
      text: importing('../../../platform/database/database'),
    },
  ],
  'application-knows-no-outer-layer': [
    '../infrastructure/sql-accounts.repository',
    '../http/accounts.dto',
    '../accounts.module',
    '../index',
    '../../../platform/http/request-fields',
  ]
    .map((target, index) => ({
      file: `src/modules/accounts/application/planted-${index}.ts`,
      text: importing(target),
    }))
    .concat({
      file: 'src/modules/accounts/notes/planted.service.ts',
      text: importing('./notes.controllers', '../accounts.module'),
    }),
  'application-knows-no-orm': [
    { file: 'src/modules/accounts/application/planted-orm.ts', text: importing('typeorm') },
    { file: 'src/modules/accounts/http/planted-driver.ts', text: importing('pg') },
    { file: 'src/modules/accounts/notes/planted-orm.service.ts', text: importing('typeorm') },
  ],
  'infrastructure-serves-the-domain': [
    '../application/accounts.service',
    '../http/accounts.dto',
    '../accounts.module',
    '../../../platform/http/request-fields',
  ]
    .map((target, index) => ({
      file: `src/modules/accounts/infrastructure/planted-${index}.ts`,
      text: importing(target),
    }))
    .concat({
      file: 'src/modules/accounts/notes/planted.repository.ts',
      text: importing('./notes.service', './notes.controllers'),
    }),
  'http-is-wired-by-its-module': [
    { file: 'src/planted-http.ts', text: importing('./modules/users/users.dto') },
    { file: 'src/modules/accounts/notes/planted-http.service.ts', text: importing('./notes.controllers') },
  ],
  'infrastructure-is-wired-by-its-module': [
    {
      file: 'src/modules/accounts/http/planted.ts',
      text: importing('../infrastructure/sql-accounts.repository'),
    },
    { file: 'src/modules/users/index.ts', text: importing('./users.repository') },
    { file: 'src/modules/accounts/notes/planted.controller.ts', text: importing('./notes.repository') },
    {
      file: 'src/modules/accounts/application/planted-rows.ts',
      text: importing('../notes/notes.repository'),
    },
  ],
  'modules-have-two-doors': [
    { file: 'src/modules/accounts/application/planted-door.ts', text: importing('../../users/user') },
  ],
  'wiring-is-for-wiring': [
    { file: 'src/modules/users/index.ts', text: importing('./users.module') },
    { file: 'src/modules/accounts/http/planted-wiring.ts', text: importing('../../users/users.module') },
  ],
  'outside-uses-the-doors': [{ file: 'src/planted-door.ts', text: importing('./modules/users/user') }],
  'modules-have-a-place': [{ file: 'src/modules/planted/planted.ts', text: importing('../users') }],
  'no-cycles': [{ file: 'src/planted-egg.ts', text: importing('./planted-hen') }],
  'src-is-what-ships': [{ file: 'src/planted-test.ts', text: importing('../test/planted') }],
  'src-runs-without-development-packages': [{ file: 'src/planted-tool.ts', text: importing('prettier') }],
  'no-undeclared-packages': [{ file: 'src/planted-undeclared.ts', text: importing('light-my-request') }],
  'no-unresolved-imports': [{ file: 'src/planted-unresolved.ts', text: importing('./nowhere') }],
  'no-orphans': [{ file: 'src/planted-orphan.ts', text: 'export const planted = true;\n' }],
  ...Object.fromEntries(
    chain.slice(0, -1).map((lower, place) => [
      `${lower}-knows-nothing-above`,
      [
        {
          file: `src/modules/${lower}/planted-upwards.ts`,
          text: importing(...chain.slice(place + 1).map((upper) => `../${upper}`)),
        },
      ],
    ]),
  ),
};

/** Files that the planted imports refer to. */
const grounds: Plant[] = [
  { file: 'src/planted-hen.ts', text: importing('./planted-egg') },
  { file: 'test/planted.ts', text: 'export const planted = true;\n' },
  ...chain.map((name) => ({ file: `src/modules/${name}/index.ts`, text: '\n' })),
  ...layers.map((name) => ({ file: `src/platform/${name}/planted-ground.ts`, text: 'export {};\n' })),
];

const inModule = (name: string): string => `src/modules/accounts/application/lint-${name}.ts`;

/** By file: a text that the linter must reject, with the rule and the words that reject it. */
const lintPlants: [file: string, rule: string, words: string, text: string][] = [
  [
    inModule('save'),
    'no-restricted-syntax',
    'reads the row',
    "import { Repository } from 'typeorm';\nexport const planted = (rows: Repository<object>) => rows.save({});\n",
  ],
  [
    inModule('manager'),
    'no-restricted-syntax',
    'database.transaction',
    "import { DataSource } from 'typeorm';\nexport const planted = (source: DataSource) => source.manager.query('');\n",
  ],
  [
    inModule('query-runner'),
    'no-restricted-syntax',
    'database.transaction',
    "import { DataSource } from 'typeorm';\nexport const planted = (source: DataSource) => source.createQueryRunner();\n",
  ],
  [
    inModule('start-transaction'),
    'no-restricted-syntax',
    'database.transaction',
    'export const planted = (runner: { startTransaction(): Promise<void> }) => runner.startTransaction();\n',
  ],
  [
    inModule('import-manager'),
    '@typescript-eslint/no-restricted-imports',
    'tx.repository',
    "import { EntityManager } from 'typeorm';\nexport type Planted = EntityManager;\n",
  ],
  [
    inModule('import-runner'),
    '@typescript-eslint/no-restricted-imports',
    'tx.repository',
    "import { QueryRunner } from 'typeorm';\nexport type Planted = QueryRunner;\n",
  ],
  [
    inModule('all-over-tx'),
    'no-restricted-syntax',
    'one statement after the other',
    "import { Tx } from '../../../platform/database/tx';\nexport const planted = (owner: { tx: Tx }) => { const { tx } = owner; return Promise.all([tx.query('', []), tx.query('', [])]); };\n",
  ],
  [
    inModule('all-given-tx'),
    'no-restricted-syntax',
    'one statement after the other',
    "import { Tx } from '../../../platform/database/tx';\nexport async function planted(tx: Tx): Promise<void> { const reads = [1, 2].map(() => tx.query('', [])); await Promise.all(reads); }\n",
  ],
  [
    inModule('all-in-transaction'),
    'no-restricted-syntax',
    'one statement after the other',
    "import { Database } from '../../../platform/database/database';\nexport const planted = (database: Database, works: Promise<void>[]) => database.transaction(async () => Promise.allSettled(works));\n",
  ],
  ...[
    ['query-given-tx', "(database: Database, tx: Tx) => [tx, database.query('', [])]"],
    [
      'repository-given-tx',
      '(database: Database, tx: Tx, schema: never) => [tx, database.repository(schema)]',
    ],
    ['query-in-transaction', "(database: Database) => database.transaction(() => database.query('', []))"],
    [
      'transaction-in-idempotent',
      '(owner: { database: Database }, operation: IdempotentOperation<void>) =>\n  owner.database.idempotent(operation, () => owner.database.transaction(async () => undefined))',
    ],
  ].map(([name, planted]): [string, string, string, string] => [
    inModule(name!),
    'no-restricted-syntax',
    'another connection',
    `import { Database, IdempotentOperation } from '../../../platform/database/database';\nimport { Tx } from '../../../platform/database/tx';\nexport type Used = [IdempotentOperation<void>, Tx];\nexport const planted = ${planted};\n`,
  ]),
  ...[
    ['assignment', 'account.held = 0'],
    ['compound-assignment', 'account.held += 1'],
    ['increment', 'account.held++'],
    ['delete', 'delete account.note'],
    ['assign', 'Object.assign(account, { held: 0 })'],
    ['event', "account.addEvent('account.updated')"],
  ].map(([name, statement]): [string, string, string, string] => [
    inModule(name!),
    'no-restricted-syntax',
    'call a method instead',
    `export function planted(account: { held: number; note?: string; addEvent(type: string): void }): void {\n  ${statement};\n}\n`,
  ]),
  [
    inModule('assign-this'),
    'no-restricted-syntax',
    'for constructors',
    'export class Planted {\n  held = 0;\n  change(): void {\n    Object.assign(this, { held: 1 });\n  }\n}\n',
  ],
  ...[
    ['select', "'SELECT id FROM users'"],
    ['insert', "'insert into users values (1)'"],
    ['update', '`UPDATE ${table} SET name = 1`'],
    ['delete-from', '`\\n  DELETE FROM ${table}`'],
    ['with', "'WITH found AS (SELECT 1) SELECT 2'"],
  ].flatMap(([name, text]) =>
    [inModule(`sql-${name}`), `src/platform/http/lint-sql-${name}.ts`].map(
      (file): [string, string, string, string] => [
        file,
        'no-restricted-syntax',
        'infrastructure/',
        `export const planted = (table: string): string[] => [table, ${text}];\n`,
      ],
    ),
  ),
  [inModule('date-now'), 'no-restricted-syntax', 'Clock', 'export const planted = Date.now();\n'],
  [inModule('new-date'), 'no-restricted-syntax', 'Clock', 'export const planted = new Date();\n'],
  ['src/platform/lint-new-date.ts', 'no-restricted-syntax', 'Clock', 'export const planted = new Date();\n'],
  [
    'src/platform/lint-all-over-tx.ts',
    'no-restricted-syntax',
    'one statement after the other',
    "import { Tx } from './database/tx';\nexport const planted = (tx: Tx) => Promise.race([tx.query('', [])]);\n",
  ],
  ['src/platform/lint-console.ts', 'no-console', '', "console.log('planted');\n"],
  ['src/platform/lint-floating.ts', '@typescript-eslint/no-floating-promises', '', 'Promise.resolve();\n'],
  [
    'src/platform/lint-misused.ts',
    '@typescript-eslint/no-misused-promises',
    '',
    'export const planted = Promise.resolve(true) ? 1 : 2;\n',
  ],
  [
    'src/platform/lint-switch.ts',
    '@typescript-eslint/switch-exhaustiveness-check',
    '',
    "export function planted(of: 'a' | 'b'): number { switch (of) { case 'a': return 1; } return 2; }\n",
  ],
];

const innocent: Plant = {
  file: inModule('innocent'),
  text: `import type { Database } from '../../../platform/database/database';
import type { Tx } from '../../../platform/database/tx';
export class Planted {
  constructor(
    private readonly database: Database,
    private readonly repository: { save(tx: Tx, id: string): void },
  ) {}
  save(tx: Tx): void {
    this.repository.save(tx, 'usr');
  }
  find(): Promise<object[]> {
    return this.database.query('', []);
  }
  change(): Promise<object[]> {
    return this.database.transaction((tx) => tx.query('', []));
  }
}
export class Innocent {
  held = 0;
  constructor(fields: { held: number }) {
    Object.assign(this, fields);
    this.held += 1;
  }
}
export const words = 'Select a payment from the list, or update it.';
export const parsed = new Date('2026-01-31T00:00:00Z');
export const both = (reads: Promise<void>[]): Promise<void[]> => Promise.all(reads);
`,
};

describe('The rules', () => {
  const plantedImports = Object.entries(importPlants).flatMap(([rule, plants]) =>
    plants.map((plant) => ({ rule, ...plant })),
  );
  let tree: PlantedTree;
  let violations: Violation[];
  let findings: Finding[];

  beforeAll(async () => {
    const lints = lintPlants.map(([file, , , text]) => ({ file, text }));
    tree = new PlantedTree([...grounds, ...plantedImports, ...lints, innocent]);
    [violations, findings] = await Promise.all([
      tree.cruise(),
      tree.lint([...lints.map(({ file }) => file), innocent.file]),
    ]);
  }, TOOLS_MS);
  afterAll(() => tree.remove());

  describe('of dependencies', () => {
    it('each have a planted violation', () => {
      const { forbidden } = rulesOfDependencies();
      expect(Object.keys(importPlants).toSorted()).toEqual(forbidden.map(({ name }) => name).toSorted());
      expect(forbidden.filter(({ severity }) => severity !== 'error')).toEqual([]);
    });

    it('name every folder of src/', () => {
      const rules = JSON.stringify(rulesOfDependencies()).replaceAll(/[()^]/g, '');
      const folders = new Set(filesIn('src').flatMap((file) => /^src\/([^/]+)\//.exec(file)?.[1] ?? []));
      expect([...folders].filter((folder) => !new RegExp(`src/(\\S*\\|)?${folder}\\b`).test(rules))).toEqual(
        [],
      );
    });

    it.each(plantedImports)('report $rule in $file', ({ rule, file, text }) => {
      const reported = violations.filter(({ rule: { name }, from }) => name === rule && from === file);
      const imports = text.match(/^import/gm)?.length ?? 1;
      expect(new Set(reported.map(({ to }) => to)).size).toBe(imports);
    });

    it('hold in the sources', () => {
      const isPlanted = ({ rule, from }: Violation): boolean =>
        !existsSync(join(ROOT, from)) ||
        plantedImports.some((plant) => plant.rule === rule.name && plant.file === from);
      const own = violations.filter((violation) => !isPlanted(violation));
      expect(own.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
    });
  });

  describe('of the linter', () => {
    it.each(lintPlants)('reject %s by %s', (file, rule, words) => {
      const errors = findings.filter((finding) => finding.file === file && finding.ruleId === rule);
      expect(errors.map(({ message }) => message)).toContainEqual(expect.stringContaining(words));
    });

    it('accept the permitted code', () => {
      expect(findings.filter(({ file }) => file === innocent.file)).toEqual([]);
    });
  });
});

const entities: EntitySchema[] = schema.entities;
const mappedTables = entities.map(({ options }) => options.tableName!);

/** The platform, the feature with all its folders that a file belongs to, or a room for what lies in its own layers. */
const folderOf = (file: string): string =>
  /^src\/(platform(?=\/)|modules\/[^/]+(?:\/(?!domain\/|application\/|infrastructure\/|http\/)[^/]+)?(?=\/))/.exec(
    file,
  )?.[1] ?? 'src';

const ownerOf = new Map(
  filesIn('src/modules')
    .filter((file) => /\btableName: /.test(textOf(file)))
    .flatMap((file) => tablesNamedIn(textOf(file), mappedTables).map((table) => [table, folderOf(file)])),
);

/** Tables that only the previous release uses. The next release drops them. */
const retiredTables = ['failed_logins'];

describe('Tables', () => {
  const tables = [...textOf('migrations/schema.sql').matchAll(/^CREATE TABLE (\w+)/gm)].map(
    ([, name]) => name!,
  );
  const sources = filesIn('src').filter((file) => /\.(ts|js)$/.test(file));
  let named: { readonly folder: string; readonly tables: readonly string[] }[];

  beforeAll(() => {
    named = sources.map((file) => ({ folder: folderOf(file), tables: tablesNamedIn(textOf(file), tables) }));
  });

  it('in the database include all mapped ones', () => {
    expect(tables).toEqual(expect.arrayContaining(mappedTables));
    expect([...ownerOf.keys()].toSorted()).toEqual(mappedTables.toSorted());
  });

  it.each(tables)('%s is referred to only by its owner', (table) => {
    const naming = new Set(
      named.filter((source) => source.tables.includes(table)).map(({ folder }) => folder),
    );
    expect(naming.size).toBe(retiredTables.includes(table) ? 0 : 1);
    if (ownerOf.has(table)) expect([...naming]).toEqual([ownerOf.get(table)]);
  });

  it.each([
    ['a join', "const sql = 'SELECT id FROM transactions t JOIN accounts a ON a.id = t.account_id';"],
    [
      'a list of tables',
      'const sql = `SELECT ${columns} FROM transactions t, "accounts" WHERE ${condition}`;',
    ],
    ['an update', "tx.enqueue(`UPDATE accounts SET status = 'closed'`, []);"],
    ['a mapping', "new EntitySchema({ name: 'Stolen', tableName: 'accounts' });"],
    ['SQL in small letters', "const sql = 'delete from accounts';"],
  ])('are found in %s', (_, source) => {
    expect(tablesNamedIn(source, ['accounts'])).toEqual(['accounts']);
  });

  it.each([
    "const path = 'v1/accounts';",
    'const { accounts } = this;',
    "// SELECT id FROM accounts\nconst sql = '';",
  ])('are not found in %s', (source) => expect(tablesNamedIn(source, ['accounts'])).toEqual([]));
});

describe('Lifecycles', () => {
  const files = filesIn('src/modules').filter((file) => textOf(file).includes('= lifecycle({'));
  const lifecycles = files.map((file) => {
    const exported = Object.entries(jest.requireActual<Record<string, unknown>>(`${ROOT}/${file}`));
    const found = exported.filter(([, value]) => value instanceof Lifecycle);
    return {
      file,
      names: found.map(([name]) => name),
      table: found[0]?.[1] as Lifecycle<string, string, string>,
    };
  });
  const withStatus = entities.filter(({ options }) => options.columns['status']);

  it.each(lifecycles)('$file declares one and derives its TypeScript union', ({ file, names }) => {
    expect(names).toHaveLength(1);
    expect(textOf(file)).toMatch(new RegExp(`type \\w+Status = StateOf<typeof ${names[0]}>;`));
  });

  it('exist for every table with a status', () => {
    const folders = withStatus.map(({ options }) => ownerOf.get(options.tableName!));
    expect(files.map(folderOf).toSorted()).toEqual(folders.toSorted());
  });

  it.each(withStatus.map(({ options }) => options.tableName!))(
    '%s has a CHECK constraint with the states of its lifecycle',
    async (table) => {
      const { table: declared } = lifecycles.find(({ file }) => folderOf(file) === ownerOf.get(table))!;
      const client = new Client({ connectionString: databaseUrl(TEMPLATE) });
      await client.connect();
      try {
        const checks = async (relation: string): Promise<string[]> => {
          const sql = `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE contype = 'c' AND conrelid = $1::regclass`;
          return (await client.query<{ text: string }>(sql, [relation])).rows.map(({ text }) => text);
        };
        // PostgreSQL normalizes conditions, so the declared condition is normalized as well.
        await client.query(`CREATE TEMP TABLE declared (status text CHECK (${declared.sqlCheck('status')}))`);
        expect(await checks(`public.${table}`)).toEqual(
          expect.arrayContaining(await checks('pg_temp.declared')),
        );
      } finally {
        await client.end();
      }
    },
  );
});

describe('The repository', () => {
  const unwanted = {
    'a folder of this machine': /\.\.\/shared|\/wor[k]\//,
    'a package registry': /registry\.(npmjs|yarnpkg)|npm\.pkg\.|unpkg\.|jsdeliv[r]\./,
    'work that is left': /\b(TO[D]O|FIX[M]E)\b/,
  };

  it.each(Object.entries(unwanted))('does not contain %s', (_, pattern) => {
    expect(repositoryFiles().filter((file) => pattern.test(textOf(file)))).toEqual([]);
  });

  it.each([
    ['a folder of this machine', ['..', 'shared', 'notes.md'].join('/')],
    ['a folder of this machine', ['', 'work', 'main'].join('/')],
    ['a package registry', ['https://registry', 'npmjs', 'org'].join('.')],
    ['work that is left', ['// TO', 'DO: later'].join('')],
  ] as const)('is rejected when it contains %s: %s', (what, text) => {
    expect(text).toMatch(unwanted[what]);
  });
});

describe('test/', () => {
  it('has only folders that exist in src/, apart from client, system and support', () => {
    const tested = filesIn('test').map((file) => posix.dirname(file).slice('test/'.length));
    const others = tested.filter((folder) => !/^(client|system|support)(\/|$)/.test(folder));
    expect([...new Set(others)].filter((folder) => !existsSync(join(ROOT, 'src', folder)))).toEqual([]);
  });
});

describe('what is loaded', () => {
  const sources = filesIn('src/modules');
  const controllers = sources.filter((file) => file.endsWith('.controller.ts'));
  const rules = sources.filter((file) => file.includes('/domain/'));
  const isFramework = (name: string): boolean => /^(@nestjs\/|typeorm$|fastify$|pg$)/.test(name);

  it('with the controller of transactions is at most 70 files', () => {
    const { files } = loadedWith('src/modules/transactions/http/transactions.controller.ts');
    expect(files.length).toBeLessThanOrEqual(70);
    expect(files).toContain('src/modules/accounts/application/account-store.service.ts');
  });

  it.each(controllers)('with %s is at most 110 files', (controller) => {
    expect(loadedWith(controller).files.length).toBeLessThanOrEqual(110);
  });

  it.each(rules)('with %s is no framework', (file) => {
    expect(loadedWith(file).packages.filter(isFramework)).toEqual([]);
  });

  it('counts what comes through an index.ts, and finds frameworks', () => {
    const { files, packages } = loadedWith('src/modules/transactions/transactions.module.ts');
    expect(files).toContain('src/modules/accounts/accounts.module.ts');
    expect(packages.filter(isFramework)).toEqual(expect.arrayContaining(['@nestjs/common', 'typeorm']));
  });
});
