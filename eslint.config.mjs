import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const PROMISE_COMBINATOR =
  "CallExpression[callee.object.name='Promise'][callee.property.name=/^(all|allSettled|any|race)$/]";

/** Statements of one transaction go out in order: a branch that fails late would still write after the ROLLBACK. */
const oneStatementAfterTheOther = {
  selector: [
    `${PROMISE_COMBINATOR}:has(Identifier[name='tx'])`,
    `CallExpression[callee.property.name=/^(transaction|idempotent)$/] ${PROMISE_COMBINATOR}`,
    `:function:has(> Identifier[name='tx']) ${PROMISE_COMBINATOR}`,
  ].join(', '),
  message: 'Within a database transaction await one statement after the other.',
};

const DATABASE_CALL =
  'CallExpression[callee.property.name=/^(query|repository|transaction|idempotent|snapshot)$/]:matches([callee.object.name="database"], [callee.object.property.name="database"])';

/** When every connection of the pool belongs to a transaction that waits for another connection, none is ever free. */
const oneConnectionPerTransaction = {
  selector: [
    `:function:has(> Identifier[name='tx']) ${DATABASE_CALL}`,
    `CallExpression[callee.property.name=/^(transaction|idempotent)$/] ${DATABASE_CALL}`,
  ].join(', '),
  message:
    'Within a database transaction use tx.query(...) or tx.repository(...): the database opens another connection.',
};

const inTransactions = [oneStatementAfterTheOther, oneConnectionPerTransaction];

/** Time is handed in (`now`) or asked of the Clock, so that a test can move it. */
const timeComesFromTheClock = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Take `now` as a parameter, or ask the injected Clock.',
  },
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Take `now` as a parameter or ask the injected Clock; measure durations with performance.now().',
  },
];

/** TypeORM's own transactions would break the atomicity of our Tx (see src/platform/database/engine/pipelined-tx.ts). */
const writesGoThroughTx = [
  {
    selector: "CallExpression[callee.property.name='save']:not([arguments.0.name='tx'])",
    message: 'Write with insert(...) or update(...): save(...) reads the row before it writes.',
  },
  {
    selector: 'MemberExpression[property.name=/^(startTransaction|createQueryRunner|manager)$/]',
    message: 'Open transactions with database.transaction(...).',
  },
];

/** The state of an object changes only through its methods, which keep its invariants. */
const objectsChangeThemselves = [
  {
    selector: [
      "AssignmentExpression[left.type='MemberExpression']:not([left.object.type='ThisExpression'])",
      "UpdateExpression[argument.type='MemberExpression']:not([argument.object.type='ThisExpression'])",
      "UnaryExpression[operator='delete'][argument.type='MemberExpression']:not([argument.object.type='ThisExpression'])",
    ].join(', '),
    message: 'Change members only in methods of their class: call a method instead.',
  },
  {
    selector: [
      "CallExpression[callee.object.name='Object'][callee.property.name='assign']:not([arguments.0.type='ThisExpression'])",
      ":not(MethodDefinition[kind='constructor']) > FunctionExpression CallExpression[callee.object.name='Object'][callee.property.name='assign']",
    ].join(', '),
    message: 'Object.assign(this, fields) is for constructors: call a method instead.',
  },
  {
    selector:
      "CallExpression[callee.property.name='addEvent']:not([callee.object.type=/^(This|New)Expression$/])",
    message: 'An entity adds its events itself: call a method instead.',
  },
];

/** Statements in capitals or in small letters; sentences start with one capital. */
const SQL =
  '/^\\s*(SELECT\\s[^]*\\sFROM\\s|INSERT INTO\\s|UPDATE\\s[^]*\\sSET\\s|DELETE FROM\\s|WITH\\s+\\w+\\s+AS\\s|select\\s[^]*\\sfrom\\s|insert into\\s|update\\s[^]*\\sset\\s|delete from\\s)/';
const SQL_TEMPLATE = '/^\\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|insert into|delete from)\\s/';

const sqlIsInInfrastructure = {
  selector: `Literal[value=${SQL}], TemplateElement:first-child[value.cooked=${SQL_TEMPLATE}]`,
  message: 'Write SQL in infrastructure/ or in a repository.',
};

const inModules = [
  ...inTransactions,
  ...timeComesFromTheClock,
  ...writesGoThroughTx,
  ...objectsChangeThemselves,
];

export default defineConfig(
  globalIgnores(['dist/', 'client/dist/', 'console/dist/', 'coverage/', 'artifacts/', '.data/', 'examples/']),
  eslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/no-unnecessary-type-arguments': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Ports and Nest's hooks are asynchronous by contract, also where one implementation has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
    },
  },
  {
    // Says what is loaded, and what is only named.
    files: ['src/**/*.ts'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: { '@typescript-eslint/consistent-type-imports': 'error' },
  },
  {
    files: ['src/**/*.{ts,js}'],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...inTransactions, ...timeComesFromTheClock, sqlIsInInfrastructure],
    },
  },
  {
    files: ['src/kernel/clock.ts'],
    rules: { 'no-restricted-syntax': ['error', ...inTransactions, sqlIsInInfrastructure] },
  },
  {
    files: ['src/platform/database/**', 'src/embedded-postgres/**'],
    rules: { 'no-restricted-syntax': ['error', ...inTransactions, ...timeComesFromTheClock] },
  },
  {
    files: ['src/modules/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...inModules, sqlIsInInfrastructure],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'typeorm',
              importNames: ['EntityManager', 'QueryRunner'],
              message: 'Use tx.repository(...), within database.transaction(...).',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/modules/**/infrastructure/**/*.ts', 'src/modules/**/*.repository.ts'],
    rules: { 'no-restricted-syntax': ['error', ...inModules] },
  },
  {
    // Answers are compared as they come over the wire, and Jest's matchers are typed with any.
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'Buffer',
          'URL',
          'clearTimeout',
          'console',
          'fetch',
          'performance',
          'process',
          'setInterval',
          'setTimeout',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  { files: ['**/*.{js,cjs}'], languageOptions: { sourceType: 'commonjs' } },
);
