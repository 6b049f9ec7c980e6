import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const PROMISE_COMBINATOR =
  "CallExpression[callee.object.name='Promise'][callee.property.name=/^(all|allSettled|any|race)$/]";

/** Statements of one transaction go out in order: a branch that fails late would still write after the ROLLBACK. */
const oneStatementAfterTheOther = {
  selector: [
    `${PROMISE_COMBINATOR}:has(Identifier[name='tx'])`,
    `CallExpression[callee.property.name='atomically'] ${PROMISE_COMBINATOR}`,
    `:function:has(> Identifier[name='tx']) ${PROMISE_COMBINATOR}`,
  ].join(', '),
  message: 'Within a database transaction await one statement after the other.',
};

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

/** TypeORM's own ways to write would break the atomicity of our Tx (see src/platform/database/tx.ts). */
const writesGoThroughTx = [
  {
    selector: "CallExpression[callee.property.name='save']:not([arguments.0.name='tx'])",
    message: 'Write with tx.write(...): TypeORM saves outside the transaction.',
  },
  {
    selector: 'MemberExpression[property.name=/^(startTransaction|createQueryRunner|manager)$/]',
    message: 'Open transactions with database.atomically(...).',
  },
];

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', 'artifacts/', '.data/']),
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
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
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // Ports and Nest's hooks are asynchronous by contract, also where one implementation has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.{ts,js}'],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': ['error', oneStatementAfterTheOther, ...timeComesFromTheClock],
    },
  },
  { files: ['src/kernel/clock.ts'], rules: { 'no-restricted-syntax': ['error', oneStatementAfterTheOther] } },
  {
    files: ['src/modules/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        oneStatementAfterTheOther,
        ...timeComesFromTheClock,
        ...writesGoThroughTx,
      ],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'typeorm',
              importNames: ['EntityManager', 'QueryRunner'],
              message: 'Write with tx.write(...), within database.atomically(...).',
            },
          ],
        },
      ],
    },
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
      globals: {
        console: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        process: 'readonly',
        URL: 'readonly',
      },
    },
  },
  {
    files: ['**/*.{js,cjs}'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: {
        Buffer: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearTimeout: 'readonly',
      },
    },
  },
);
