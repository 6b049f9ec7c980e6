export const columns = [
  'anon',
  'self',
  'other',
  'unlinked',
  'member',
  'owner',
  'susp',
  'closed',
  'platform',
  'admin',
  'expired',
  'revoked',
] as const;
type ListedColumn = (typeof columns)[number];

/** The columns that follow from the others and from the scope of an operation (see `withDerived`). */
export const derivedColumns = ['support', 'key', 'platkey', 'expkey', 'revkey'] as const;
export type Column = ListedColumn | (typeof derivedColumns)[number];

/** The callers between which mistakes are likeliest. */
const likeliestColumns: readonly Column[] = ['anon', 'other', 'owner', 'admin', 'support'];

/** Divides the columns between permissions.e2e.spec.ts and permissions-others.e2e.spec.ts, which takes longer. */
export const callersOfSuites = {
  likeliest: likeliestColumns,
  others: [...columns, ...derivedColumns].filter((column) => !likeliestColumns.includes(column)),
} as const;

/** The columns whose callers send a valid token. */
export const authenticated: readonly Column[] = [
  'self',
  'other',
  'unlinked',
  'member',
  'owner',
  'susp',
  'platform',
  'admin',
  'support',
  'key',
  'platkey',
];

export interface Row {
  /** The operation, and after a comma the variation. */
  readonly label: string;
  readonly operationId: string;
  readonly cells: Readonly<Record<ListedColumn, string>>;
}

/** An operation as API keys and the role `support` see it. */
interface CalledOperation {
  readonly method: string;
  readonly path: string;
  readonly public: boolean;
  readonly keyScopes: readonly string[];
}

/**
 * Rows in which API keys may do less than those for whom they act: they use only endpoints that they have created, and
 * read no users.
 */
const cellsOfKeys: Readonly<Record<string, string>> = {
  listWebhooks: '200-',
  getWebhook: '403',
  updateWebhook: '403',
  rotateWebhookSecret: '403',
  listWebhookDeliveries: '403',
  'redeliverWebhook, absent': '403',
  'redeliverWebhook, malformed': '403',
  redeliverFailedWebhooks: '403',
  deleteWebhook: '403',
  'listEvents, of a user': '200-',
  'search, webhook endpoint': '200-',
};

/** What the role `support` changes beside how it signs in. */
const operationsOfSupport: readonly string[] = [
  'createAccountNote',
  'createUserNote',
  'sendPaymentEmail',
  'createSavedView',
];

/** Rows in which support people are no admins, and may still change something. */
const cellsOfSupport: Readonly<Record<string, string>> = {
  'deleteSavedView, not shared': '404',
  'deleteSavedView, absent': '404',
  'deleteSavedView, malformed': '404',
};

/**
 * The whole row. The role `support` reads what admins read, and changes only how it signs in and what is listed above.
 * With the scope of the operation, a key has the cells of a member of its account, and a platform key those of a platform
 * system; without one, an operation rejects them. Public operations read no token.
 */
export function withDerived(
  { label, operationId, cells }: Row,
  operation: CalledOperation,
): Readonly<Record<Column, string>> {
  const { anon, admin } = cells;
  if (operation.public)
    return { ...cells, support: admin, key: anon, platkey: anon, expkey: anon, revkey: anon };
  const isForSupport =
    operation.method === 'GET' ||
    operation.path.startsWith('/v1/auth/') ||
    operationsOfSupport.includes(operationId);
  const ofKeys = operation.keyScopes.length === 0 ? '403' : cellsOfKeys[label];
  const [key, platkey] = [ofKeys ?? cells.member, ofKeys ?? cells.platform];
  return {
    ...cells,
    support: cellsOfSupport[label] ?? (isForSupport ? admin : '403'),
    key,
    platkey,
    expkey: '401',
    revkey: '401',
  };
}

/** @throws Error for a row that does not fill the columns, and for a row that is repeated */
export function readMatrix(text: string): Row[] {
  const [heading, ...lines] = text.split('\n').filter((line) => line.trim() !== '');
  if (heading?.trim().split(/\s+/).join() !== columns.join()) {
    throw new Error(`The heading must name the columns ${columns.join(' ')}.`);
  }
  return assertUnique(lines.map(readRow));
}

/** @throws Error for a row that is repeated */
export function assertUnique(rows: Row[]): Row[] {
  const repeated = rows.find(({ label }, index) => rows.findIndex((row) => row.label === label) < index);
  if (repeated) throw new Error(`The row "${repeated.label}" is repeated.`);
  return rows;
}

function readRow(line: string): Row {
  const [, label, cells] = /^\s+(\S.*?)\s+((?:\d{3}\S?\s*)+)$/.exec(line) ?? [];
  const values = cells?.trim().split(/\s+/) ?? [];
  if (label === undefined || values.length !== columns.length) {
    throw new Error(`"${line.trim()}" is not a row of the table.`);
  }
  const named = columns.map((column, index) => [column, values[index]]);
  return { label, operationId: label.split(',')[0]!, cells: Object.fromEntries(named) as Row['cells'] };
}
