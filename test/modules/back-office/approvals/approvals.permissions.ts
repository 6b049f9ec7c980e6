import { absent, at, get, MALFORMED, Permissions, post, Request } from '../../../system/permissions/request';
import { Home } from '../../../system/permissions/cast';
import { aUser, created, theAdmin } from '../../../support/people';

/** Asks for another admin: a user without an account, who has signed up. */
async function aRequest({ owner }: Home): Promise<object> {
  const { id } = await aUser(owner.api.as(null));
  return { type: 'make_admin', object_id: id, reason: 'Joins the back office.' };
}
const requesting = (change: object): Request =>
  post('/v1/approvals', async (home) => ({ ...(await aRequest(home)), ...change }));

/** An approval that the first admin asked for. */
async function anApproval(home: Home): Promise<string> {
  const { api } = await theAdmin(home.owner.api);
  return `/v1/approvals/${(await created(api, '/v1/approvals', await aRequest(home))).id}`;
}

const ids = new WeakMap<Home, Promise<string>>();

/** An approval that is pending while the list is read. @returns its id */
export function listedId(home: Home): Promise<string> {
  const id = ids.get(home) ?? anApproval(home).then((path) => path.split('/').at(-1)!);
  ids.set(home, id);
  return id;
}
const approve = (path: Request['path']): Request =>
  post(async (home) => `${await path(home)}/approve`, undefined);
const reject = (path: Request['path']): Request =>
  post(
    async (home) => `${await path(home)}/reject`,
    () => ({ reason: 'Not needed.' }),
  );

/** Who may call the operations of approvals. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                 anon self other unlinked member owner susp closed platform admin expired revoked
    requestApproval              401  403  403   403      403    403   403  401    403      201   401     401
    requestApproval, absent      401  403  403   403      403    403   403  401    403      404   401     401
    requestApproval, malformed   401  403  403   403      403    403   403  401    403      404   401     401
    requestApproval, adjustment  401  403  403   403      403    403   403  401    403      400   401     401
    listApprovals                401  403  403   403      403    403   403  401    403      200+  401     401
    listApprovals, absent cursor 401  403  403   403      403    403   403  401    403      200   401     401
    getApproval                  401  403  403   403      403    403   403  401    403      200   401     401
    getApproval, absent          401  403  403   403      403    403   403  401    403      404   401     401
    getApproval, malformed       401  403  403   403      403    403   403  401    403      404   401     401
    approveApproval              401  403  403   403      403    403   403  401    403      200   401     401
    approveApproval, absent      401  403  403   403      403    403   403  401    403      404   401     401
    approveApproval, malformed   401  403  403   403      403    403   403  401    403      404   401     401
    rejectApproval               401  403  403   403      403    403   403  401    403      200   401     401
    rejectApproval, absent       401  403  403   403      403    403   403  401    403      404   401     401
    rejectApproval, malformed    401  403  403   403      403    403   403  401    403      404   401     401
  `,
  requests: {
    requestApproval: requesting({}),
    'requestApproval, absent': requesting({ object_id: absent('usr') }),
    'requestApproval, malformed': requesting({ object_id: MALFORMED }),
    'requestApproval, adjustment': requesting({ type: 'adjustment' }),
    listApprovals: get(at('/v1/approvals'), listedId),
    'listApprovals, absent cursor': get(() => `/v1/approvals?starting_after=${absent('apr')}`),
    getApproval: get(async (home) => `/v1/approvals/${await listedId(home)}`),
    'getApproval, absent': get(() => `/v1/approvals/${absent('apr')}`),
    'getApproval, malformed': get(() => `/v1/approvals/${MALFORMED}`),
    approveApproval: approve(anApproval),
    'approveApproval, absent': approve(() => `/v1/approvals/${absent('apr')}`),
    'approveApproval, malformed': approve(() => `/v1/approvals/${MALFORMED}`),
    rejectApproval: reject(anApproval),
    'rejectApproval, absent': reject(() => `/v1/approvals/${absent('apr')}`),
    'rejectApproval, malformed': reject(() => `/v1/approvals/${MALFORMED}`),
  },
};
