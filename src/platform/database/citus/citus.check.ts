import { Client } from 'pg';
import type { CheckContext, Finding, HealthCheck } from '../../config/health-check';
import { fault, ok, warning } from '../../config/health-check';
import { databaseSettings } from '../database.settings';
import { maxConnections, urlOfWorker } from '../engine/data-source';
import { processesSettings } from '../processes.settings';
import { hasCitus, isDistributed, readPlacements, type RunSql } from './placement';

interface Node {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
  /** `max_prepared_transactions`; null if the node does not respond. */
  readonly prepared: string | null;
}

const NODES = `
  SELECT nodename AS host, nodeport AS port, groupid = 0 AS "isCoordinator", CASE WHEN success THEN result END AS prepared
  FROM pg_dist_node JOIN run_command_on_all_nodes('SHOW max_prepared_transactions') USING (nodeid) ORDER BY groupid`;

const DATABASE = `
  SELECT extversion AS version, current_setting('citus.max_adaptive_executor_pool_size') AS "connectionsToWorker"
  FROM pg_extension WHERE extname = 'citus'`;

const CONNECT_MS = 5_000;

/** Whether the servers of Citus are set up as docs/citus.md says. */
export const citusCheck: HealthCheck = {
  name: 'citus',
  async run({ settings, query }: CheckContext): Promise<readonly Finding[]> {
    if (query === null) return [];
    const run: RunSql = async <Row extends object>(sql: string) => [...(await query<Row>(sql))];
    if (!(await hasCitus(run))) return [];
    if (!(await isDistributed(run))) return [ok('Citus is installed, and distributes no tables.')];
    const nodes = await run<Node>(NODES, []);
    const { url, poolSize } = settings.of(databaseSettings);
    const workers = nodes.filter(({ isCoordinator }) => !isCoordinator);
    return [
      ...(await checkDatabase(run, workers)),
      ...checkNodes(nodes, maxConnections(poolSize, settings.of(processesSettings).count)),
      ...(await Promise.all(workers.map((worker) => checkAccess(url!, worker)))).flat(),
    ];
  },
};

async function checkDatabase(run: RunSql, workers: readonly Node[]): Promise<Finding[]> {
  const [database] = await run<{ version: string; connectionsToWorker: string }>(DATABASE, []);
  const placements = await readPlacements(run);
  const missing = placements.filter(({ isPlaced }) => !isPlaced).map(({ table }) => table);
  const findings = [
    missing.length === 0
      ? ok(`Citus ${database!.version} distributes the tables over ${workers.length} workers.`)
      : fault(
          `These tables are not distributed: ${missing.join(', ')}.`,
          'Stop all replicas and workers of the service, and run "countinghouse citus distribute".',
        ),
  ];
  if (database!.connectionsToWorker !== '1')
    findings.push(
      warning(
        'The database lacks settings for Citus, so that reads across accounts are slow.',
        'Stop all replicas and workers of the service, and run "countinghouse citus distribute".',
      ),
    );
  return findings;
}

function checkNodes(nodes: readonly Node[], connections: number): Finding[] {
  const findings: Finding[] = [];
  const coordinator = nodes.find(({ isCoordinator }) => isCoordinator);
  if (coordinator === undefined || coordinator.host === 'localhost')
    findings.push(
      warning(
        'The workers know no address of the coordinator.',
        "SELECT citus_set_coordinator_host('...', port) on the coordinator.",
      ),
    );
  for (const { host, port, prepared } of nodes) {
    const node = `${host}:${port}`;
    if (prepared === null)
      findings.push(
        fault(`The coordinator cannot reach ${node}.`, 'Start it, or let the coordinator connect to it.'),
      );
    else if (Number(prepared) < connections)
      findings.push(
        warning(
          `max_prepared_transactions of ${node} is ${prepared}, and this replica opens up to ${connections} connections.`,
          'Raise it at least to the connections of all replicas, and restart the server.',
        ),
      );
  }
  return findings;
}

/** Whether this machine can connect to a worker (see WorkerReads). */
async function checkAccess(url: string, { host, port }: Node): Promise<Finding[]> {
  const client = new Client({
    connectionString: urlOfWorker(url, host, port),
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'countinghouse doctor',
  });
  client.on('error', () => undefined); // connect() reports the failure
  try {
    await client.connect();
    return [];
  } catch (error) {
    const { code = 'no response' } = error as { code?: string };
    return [
      warning(
        `The service cannot connect to the worker ${host}:${port} (${code}), so reads across accounts are slow.`,
        'Let the role of the service log in there from this machine, with the password of DATABASE_URL.',
      ),
    ];
  } finally {
    await client.end().catch(() => undefined);
  }
}
