import { absent, at, get, Permissions } from '../../system/permissions/request';

/** Who may call the operations of the request log. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                               anon self other unlinked member owner susp closed platform admin expired revoked
    listRequests               401  200  200   200      200    200   200  401    200      200   401     401
    listRequests, account_id   401  200  200   200      200    200   200  401    200      200   401     401
    listRequests, absent       401  200  200   200      200    200   200  401    200      200   401     401
  `,
  requests: {
    listRequests: get(at('/v1/requests')),
    'listRequests, account_id': get(({ accountId }) => `/v1/requests?account_id=${accountId}`),
    'listRequests, absent': get(() => `/v1/requests?account_id=${absent('acc')}`),
  },
};
