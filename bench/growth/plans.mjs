// Shows how PostgreSQL executes the statements that the service has sent.
const PLAIN = [
  'Index Scan',
  'Index Only Scan',
  'Result',
  'Values Scan',
  'Function Scan',
  'CTE Scan',
  'WorkTable Scan',
];

const nodesOf = (node) => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const isScan = ({ 'Node Type': type }) => type.endsWith('Scan') && type !== 'Subquery Scan';

/**
 * Plans a statement for any values, as the service's connections do after some executions, and executes it if it only
 * reads. @returns the scans that are not of an index and what they read, or null if there are none
 */
export async function otherScans(client, text, values) {
  if (!/^\s*(\(?SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(text)) return null;
  const reads = /^\s*\(?SELECT/i.test(text) && !/FOR (NO KEY )?UPDATE/.test(text);
  await client.query(`BEGIN; SET LOCAL plan_cache_mode = force_generic_plan`);
  try {
    await client.query(`PREPARE examined AS ${text}`);
    const list = values.map((value) => literalOf(client, value)).join(', ');
    const { rows } = await client.query(
      `EXPLAIN (${reads ? 'ANALYZE, TIMING OFF, BUFFERS OFF, ' : ''}FORMAT JSON) EXECUTE examined${list && `(${list})`}`,
    );
    const scans = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter(
      (node) => isScan(node) && !PLAIN.includes(node['Node Type']) && node['Actual Loops'] !== 0,
    );
    return scans.length === 0 ? null : [...new Set(scans.map(describe))].join(', ');
  } finally {
    await client.query('ROLLBACK; DEALLOCATE ALL');
  }
}

function describe(scan) {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Actual Loops': loops } = scan;
  const rows = loops && (scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0)) * loops;
  return `${type} of ${table ?? index}${loops ? `, ${Math.round(rows)} rows` : ''}`;
}

function literalOf(client, value) {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value))
    return `ARRAY[${value.map((element) => literalOf(client, element)).join(', ')}]::text[]`;
  if (typeof value === 'object' && value.type === 'Buffer')
    return `'\\x${Buffer.from(value.data).toString('hex')}'`;
  return client.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));
}
