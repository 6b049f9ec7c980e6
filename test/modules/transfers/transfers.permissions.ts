import { anOwner, created, Owner, theAdmin } from '../../support/people';
import { Home } from '../../system/permissions/cast';
import { absent, at, get, MALFORMED, Permissions, post, remove } from '../../system/permissions/request';

const PATH = '/v1/transfers';

interface Transfers {
  readonly partner: Owner;
  /** Received by the account. */
  readonly received: string;
  /** Pending, given by the account. */
  held: string;
}

const prepared = new WeakMap<Home, Promise<Transfers>>();

/** Gives the account and another one money, and lets each transfer some to the other. */
async function prepare(home: Home): Promise<Transfers> {
  const { api } = await theAdmin(home.owner.api);
  const partner = await anOwner(home.owner.api);
  for (const account_id of [home.accountId, partner.accountId]) {
    const credit = { account_id, amount: 1000, currency: 'USD', type: 'credit' };
    await created(api, '/v1/transactions', credit);
  }
  const received = await created(api, PATH, {
    ...order(partner.accountId, home.accountId),
    amount: 500,
  });
  return { partner, received: received.id, held: await hold(home, partner) };
}

const order = (from_account_id: string, to_account_id: string) => ({
  from_account_id,
  to_account_id,
  amount: 1,
  currency: 'USD',
});

async function hold(home: Home, partner: Owner): Promise<string> {
  const { api } = await theAdmin(home.owner.api);
  return (await created(api, PATH, { ...order(home.accountId, partner.accountId), capture: 'later' })).id;
}

function transfersOf(home: Home): Promise<Transfers> {
  const found = prepared.get(home) ?? prepare(home);
  prepared.set(home, found);
  return found;
}

/** The path of a transfer of the account that is pending, unless the account cannot give any more. */
async function held(home: Home): Promise<string> {
  const transfers = await transfersOf(home);
  const { api } = await theAdmin(home.owner.api);
  const { status } = (await api.get(`${PATH}/${transfers.held}`)).body;
  if (status === 'succeeded' || status === 'canceled') {
    const account = (await api.get(`/v1/accounts/${home.accountId}`)).body;
    if (account.status === 'active') transfers.held = await hold(home, transfers.partner);
  }
  return `${PATH}/${transfers.held}`;
}

/** Who may call the operations of transfers. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  prepare: transfersOf,
  matrix: `
                                 anon self other unlinked member owner susp closed platform admin expired revoked
    createTransfer               401  201  404   404      201    201   403  401    201      201   401     401
    createTransfer, to it        401  404  404   404      404    404   404  401    201      201   401     401
    createTransfer, absent       401  404  404   404      404    404   404  401    404      404   401     401
    createTransfer, malformed    401  404  404   404      404    404   404  401    404      404   401     401
    createTransfers              401  201  404   404      201    201   403  401    201      201   401     401
    listTransfers                401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listTransfers, account_id    401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listTransfers, absent cursor 401  200  200   200      200    200   200  401    200      200   401     401
    getTransfer                  401  200  404   404      200    200   200  401    200      200   401     401
    getTransfer, received        401  200  404   404      200    200   200  401    200      200   401     401
    getTransfer, absent          401  404  404   404      404    404   404  401    404      404   401     401
    getTransfer, malformed       401  404  404   404      404    404   404  401    404      404   401     401
    captureTransfer              401  200  404   404      200    200   403  401    200      200   401     401
    captureTransfer, received    401  403  404   404      403    403   403  401    409      409   401     401
    captureTransfer, absent      401  404  404   404      404    404   404  401    404      404   401     401
    cancelTransfer               401  200  404   404      200    200   403  401    200      200   401     401
    cancelTransfer, absent       401  404  404   404      404    404   404  401    404      404   401     401
    reverseTransfer              401  403  404   404      403    403   403  401    409      409   401     401
    reverseTransfer, received    401  201  404   404      201    201   403  401    201      201   401     401
    reverseTransfer, absent      401  404  404   404      404    404   404  401    404      404   401     401
  `,
  requests: {
    createTransfer: post(PATH, async (home) =>
      order(home.accountId, (await transfersOf(home)).partner.accountId),
    ),
    'createTransfer, to it': post(PATH, async (home) =>
      order((await transfersOf(home)).partner.accountId, home.accountId),
    ),
    'createTransfer, absent': post(PATH, ({ accountId }) => order(absent('acc'), accountId)),
    'createTransfer, malformed': post(PATH, ({ accountId }) => order(MALFORMED, accountId)),
    createTransfers: post(`${PATH}/batch`, async (home) => ({
      transfers: [order(home.accountId, (await transfersOf(home)).partner.accountId)],
    })),
    listTransfers: get(at(PATH), async (home) => (await transfersOf(home)).held),
    'listTransfers, account_id': get(
      ({ accountId }) => `${PATH}?account_id=${accountId}`,
      async (home) => (await transfersOf(home)).received,
    ),
    'listTransfers, absent cursor': get(() => `${PATH}?starting_after=${absent('trf')}`),
    getTransfer: get(held),
    'getTransfer, received': get(async (home) => `${PATH}/${(await transfersOf(home)).received}`),
    'getTransfer, absent': get(() => `${PATH}/${absent('trf')}`),
    'getTransfer, malformed': get(() => `${PATH}/${MALFORMED}`),
    captureTransfer: post(
      async (home) => `${await held(home)}/capture`,
      () => ({}),
    ),
    'captureTransfer, received': post(
      async (home) => `${PATH}/${(await transfersOf(home)).received}/capture`,
      () => ({}),
    ),
    'captureTransfer, absent': post(
      () => `${PATH}/${absent('trf')}/capture`,
      () => ({}),
    ),
    cancelTransfer: remove(held),
    'cancelTransfer, absent': remove(() => `${PATH}/${absent('trf')}`),
    reverseTransfer: post(
      async (home) => `${await held(home)}/reversal`,
      () => ({ amount: 1 }),
    ),
    'reverseTransfer, received': post(
      async (home) => `${PATH}/${(await transfersOf(home)).received}/reversal`,
      () => ({ amount: 1 }),
    ),
    'reverseTransfer, absent': post(
      () => `${PATH}/${absent('trf')}/reversal`,
      () => ({ amount: 1 }),
    ),
  },
};
