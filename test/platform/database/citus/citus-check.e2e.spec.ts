import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { Finding } from '../../../../src/platform/config/health-check';
import { citusCheck } from '../../../../src/platform/database/citus/citus.check';
import { TestClock } from '../../../support/clock';
import { createCitusDatabase, describeOnCitus, dropCitusDatabase, onUrl } from '../../../support/citus';
import { core } from '../../../support/core';

const settings = core.readSettings({
  DATABASE_URL: 'postgres://localhost:1/nowhere',
  JWT_SECRETS: 'a secret of the check that signs nothing',
});

type Rows = readonly object[];

/** Runs the check on a cluster whose coordinator responds so. @returns what is not `ok` */
async function examine(cluster: {
  placed?: boolean;
  connectionsToWorker?: string;
  nodes: Rows;
}): Promise<Finding[]> {
  const { placed = true, connectionsToWorker = '1', nodes } = cluster;
  const responses: [RegExp, Rows][] = [
    [/max_prepared_transactions/, nodes],
    [/connectionsToWorker/, [{ version: '13.2-1', connectionsToWorker }]],
    [/AS "isPlaced"/, [{ table: 'transactions', column: 'account_id', isPlaced: placed, bytes: 0 }]],
    [/partmethod = 'h'|extname = 'citus'/, [{}]],
  ];
  const query = async <Row extends object>(sql: string) =>
    responses.find(([pattern]) => pattern.test(sql))![1] as readonly Row[];
  const findings = await citusCheck.run({ settings, clock: new TestClock(), query });
  return findings.filter(({ status }) => status !== 'ok');
}

const coordinator = { host: '10.0.0.1', port: 5432, isCoordinator: true, prepared: '100' };
const worker = { host: '127.0.0.1', port: 1, isCoordinator: false, prepared: '100' };
const messages = (findings: readonly Finding[]): string[] => findings.map(({ message }) => message);

describe('The doctor, of a cluster of Citus', () => {
  it('says when the service cannot connect to a worker', async () => {
    expect(messages(await examine({ nodes: [coordinator, worker] }))).toEqual([
      'The service cannot connect to the worker 127.0.0.1:1 (ECONNREFUSED), so reads across accounts are slow.',
    ]);
  });

  it('names tables that are not distributed, and missing settings', async () => {
    const found = await examine({ placed: false, connectionsToWorker: '16', nodes: [coordinator] });
    expect(found).toEqual([
      expect.objectContaining({
        status: 'error',
        message: 'These tables are not distributed: transactions.',
      }),
      expect.objectContaining({ status: 'warning', remedy: expect.stringContaining('citus distribute') }),
    ]);
  });

  it.each([[], [{ ...coordinator, host: 'localhost' }]])(
    'warns when the workers know no address of the coordinator',
    async (...nodes) => {
      expect(messages(await examine({ nodes }))).toEqual(['The workers know no address of the coordinator.']);
    },
  );

  it('reports servers that do not respond, or prepare too few transactions', async () => {
    const few = { ...coordinator, prepared: '10' };
    expect(messages(await examine({ nodes: [few, { ...worker, prepared: null }] })).slice(0, 2)).toEqual([
      'max_prepared_transactions of 10.0.0.1:5432 is 10, and this replica opens up to 16 connections.',
      'The coordinator cannot reach 127.0.0.1:1.',
    ]);
  });
});

describeOnCitus('The doctor, of a cluster that is set up', () => {
  const name = `doctor_${randomBytes(6).toString('hex')}`;
  afterAll(() => dropCitusDatabase(name));

  it('finds nothing wrong, and then a table that a migration has added', async () => {
    const url = await createCitusDatabase(name);
    const client = new Client({ connectionString: url });
    await client.connect();
    const query = async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows;
    const env = { DATABASE_URL: url, JWT_SECRETS: 'a secret of the check that signs nothing' };
    const context = { settings: core.readSettings(env), clock: new TestClock(), query };
    try {
      expect(await citusCheck.run(context)).toEqual([
        expect.objectContaining({
          status: 'ok',
          message: expect.stringMatching(/^Citus 1\d.* over \d+ workers/),
        }),
      ]);
      await onUrl(url, 'CREATE TABLE added (account_id text PRIMARY KEY)');
      expect(messages(await citusCheck.run(context))).toEqual(['These tables are not distributed: added.']);
    } finally {
      await client.end();
    }
  });
});
