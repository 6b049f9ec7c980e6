import { absent, at, get, MALFORMED, Permissions } from '../../../system/permissions/request';
import { Home } from '../../../system/permissions/cast';

const ids = new WeakMap<Home, Promise<string>>();

/** The first event of the account, which also API keys may read. */
export function eventId(home: Home): Promise<string> {
  const first = (): Promise<string> =>
    home.owner.api.get('/v1/events?type=account.created').then(({ body }) => body.data[0].id);
  const id = ids.get(home) ?? first();
  ids.set(home, id);
  return id;
}

/** Who may call the operations of events. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  prepare: eventId,
  matrix: `
                               anon self other unlinked member owner susp closed platform admin expired revoked
    listEvents                 401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listEvents, account_id     401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listEvents, object_id      401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listEvents, of a user      401  200- 200-  200-     200-   200-  200- 401    200+     200+  401     401
    listEvents, absent account 401  200- 200-  200-     200-   200-  200- 401    200-     200-  401     401
    listEvents, unknown type   401  400  400   400      400    400   400  401    400      400   401     401
    listEvents, foreign cursor 401  200  200   200      200    200   200  401    200      200   401     401
    listEvents, absent cursor  401  200  200   200      200    200   200  401    200      200   401     401
    getEvent                   401  200  404   404      200    200   200  401    200      200   401     401
    getEvent, absent           401  404  404   404      404    404   404  401    404      404   401     401
    getEvent, malformed        401  404  404   404      404    404   404  401    404      404   401     401
  `,
  requests: {
    listEvents: get(at('/v1/events?limit=100'), eventId),
    'listEvents, account_id': get(({ accountId }) => `/v1/events?limit=100&account_id=${accountId}`, eventId),
    'listEvents, object_id': get(
      async (home) => `/v1/events?object_id=${await home.transactionId()}`,
      (home) => home.transactionId(),
    ),
    'listEvents, of a user': get(
      ({ owner }) => `/v1/events?object_id=${owner.id}`,
      () => 'user.created',
    ),
    'listEvents, absent account': get(() => `/v1/events?account_id=${absent('acc')}`, eventId),
    'listEvents, unknown type': get(at('/v1/events?type=transaction.vanished')),
    'listEvents, foreign cursor': get(async (home) => `/v1/events?starting_after=${await eventId(home)}`),
    'listEvents, absent cursor': get(() => `/v1/events?starting_after=${absent('evt')}`),
    getEvent: get(async (home) => `/v1/events/${await eventId(home)}`),
    'getEvent, absent': get(() => `/v1/events/${absent('evt')}`),
    'getEvent, malformed': get(() => `/v1/events/${MALFORMED}`),
  },
};
