import { Api, Reply } from './api';
import { anOperator, anOwner, created, Owner, Person, theAdmin } from './people';
import { aPaymentRequest, aSubscription, aTransaction } from './request-bodies';
import { TestService } from './service';

/** The timestamps of responses. */
export const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** A well-formed id that does not exist. */
export const unknownId = (prefix: string): string => `${prefix}_01k9x8v2t4e6rb3m5n7p9q1s0w`;

/** A response as its status and error code, or the status of the resource: "201 pending". */
export const outcome = ({ status, body }: Reply): string => `${status} ${body.error ?? body.status}`;

/** A service with two owners, an admin and a platform system. */
interface Cast {
  readonly service: TestService;
  readonly owner: Owner;
  readonly stranger: Owner;
  readonly admin: Person;
  readonly platform: Person;
}

export async function startWithCast(start: () => Promise<TestService>): Promise<Cast> {
  const service = await start();
  const [owner, stranger, admin, platform] = await Promise.all([
    anOwner(service.api),
    anOwner(service.api),
    theAdmin(service.api),
    anOperator(service.api, 'platform'),
  ]);
  return { service, owner, stranger, admin, platform };
}

/** A resource that the owners of accounts create with POST on `path`. */
interface OwnedResource {
  readonly path: string;
  readonly prefix: string;
  readonly table: string;
  /** A valid request body. */
  readonly body: (accountId: string, members?: object) => Record<string, unknown>;
  readonly required: readonly string[];
  /** The status of a new item with that body. */
  readonly initialStatus: string;
  readonly otherStatuses: readonly string[];
  /** The error code for an account that the caller cannot use. */
  readonly noSuchAccount: string;
  /** Whether lists can be filtered by the email of the customer. */
  readonly hasCustomer: boolean;
  /** Whether lists return whole objects with `view=full`. */
  readonly hasFullView: boolean;
  /** What cancellation changes besides the status and updated_at. */
  readonly whenCanceled?: object;
  /** The operations on one item that its owner may call, besides its retrieval and cancellation. */
  readonly operations: readonly ((api: Api, path: string) => Promise<Reply>)[];
}

export const ownedResources: readonly OwnedResource[] = [
  {
    path: '/v1/transactions',
    prefix: 'txn',
    table: 'transactions',
    body: aTransaction,
    required: ['account_id', 'amount', 'currency', 'type'],
    initialStatus: 'pending',
    otherStatuses: ['succeeded', 'failed'],
    noSuchAccount: 'not_found',
    hasCustomer: false,
    hasFullView: true,
    operations: [(api, path) => api.patch(path, { reference: 'seen' })],
  },
  {
    path: '/v1/payments',
    prefix: 'pay',
    table: 'payment_requests',
    body: aPaymentRequest,
    required: ['account_id', 'amount', 'currency', 'customer_email'],
    initialStatus: 'pending',
    otherStatuses: ['succeeded', 'failed'],
    noSuchAccount: 'account_not_found',
    hasCustomer: true,
    hasFullView: true,
    operations: [(api, path) => api.get(`${path}/status`)],
  },
  {
    path: '/v1/subscriptions',
    prefix: 'sub',
    table: 'subscriptions',
    body: aSubscription,
    required: ['account_id', 'amount', 'currency', 'customer_email', 'interval'],
    initialStatus: 'active',
    otherStatuses: [],
    noSuchAccount: 'account_not_found',
    hasCustomer: true,
    hasFullView: false,
    whenCanceled: { next_payment_at: null },
    operations: [],
  },
];

/** Who creates the items of a cursor list: the owner of the account, or an operator for that account. */
export interface Creators {
  readonly owner: Owner;
  readonly operator: Person;
}

/** A cursor list of items that belong to accounts. */
interface CursorList extends Pick<
  OwnedResource,
  'path' | 'prefix' | 'table' | 'initialStatus' | 'otherStatuses'
> {
  /** Whether only admins and platform systems may read the list. */
  readonly forOperators: boolean;
  readonly hasReference: boolean;
  /** Two filters, each of which selects the items that are created with its number. */
  readonly variants: readonly [Record<string, string>, Record<string, string>];
  readonly endStatus: string;
  /** Creates an item. @param members for resources that owners create: further members of the body */
  create(creators: Creators, variant?: 0 | 1, members?: object): Promise<any>;
  /** Moves an item to `endStatus`. */
  end(creators: Creators, id: string): Promise<Reply>;
}

const references = [{ reference: 'even' }, { reference: 'odd' }] as const;

export const cursorLists: readonly CursorList[] = [
  ...ownedResources.map((resource): CursorList => ({
    ...resource,
    forOperators: false,
    hasReference: true,
    variants: references,
    endStatus: 'canceled',
    create: ({ owner }, variant, members) =>
      created(
        owner.api,
        resource.path,
        resource.body(owner.accountId, { ...(variant !== undefined && references[variant]), ...members }),
      ),
    end: ({ owner }, id) => owner.api.delete(`${resource.path}/${id}`),
  })),
  {
    path: '/v1/unapplied-payments',
    prefix: 'unp',
    table: 'unapplied_payments',
    initialStatus: 'received',
    otherStatuses: ['needs_attention'],
    forOperators: true,
    hasReference: false,
    variants: [{ reason: 'amount_mismatch' }, { reason: 'canceled' }],
    endStatus: 'returned',
    create: async ({ owner, operator }, variant = 0) => {
      const { id } = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
      if (variant === 1) await owner.api.delete(`/v1/payments/${id}`);
      return created(operator.api, `/v1/payments/${id}/unapplied-payments`, { amount: 1200 });
    },
    end: ({ operator }, id) =>
      operator.api.post(`/v1/unapplied-payments/${id}/resolution`, { outcome: 'returned' }),
  },
];
