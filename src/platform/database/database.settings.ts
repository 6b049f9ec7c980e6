import { bool, str } from 'envalid';
import { defineSettings, integer, secret } from '../config/settings';

export const databaseSettings = defineSettings({
  variables: {
    DATABASE_URL: secret(
      str({
        default: '',
        desc: 'The PostgreSQL server (15 to 18) to use. Without it, the service starts its embedded PostgreSQL.',
      }),
    ),
    DATABASE_POOL_SIZE: integer(
      1,
      1000,
    )({
      default: 10,
      desc: 'The maximum number of connections of a process for requests, beside one for its health. Background work has half as many.',
    }),
    GROUP_COMMIT: bool({
      default: true,
      desc: 'Whether concurrent writes may share a database transaction, which raises throughput.',
    }),
  },
  read: ({ DATABASE_URL, DATABASE_POOL_SIZE, GROUP_COMMIT }) => ({
    /** null for the embedded PostgreSQL. */
    url: DATABASE_URL || null,
    poolSize: DATABASE_POOL_SIZE,
    groupCommit: GROUP_COMMIT,
  }),
});
