import { absent, at, get, MALFORMED, Permissions } from '../../../system/permissions/request';

/** Who may retrieve statements. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                            anon self other unlinked member owner susp closed platform admin expired revoked
    getOwnStatement         401  200+ 200-  403      200+   200+  200+ 401    403      403   401     401
    getOwnStatement, future 401  400  400   403      400    400   400  401    403      403   401     401
    getStatement            401  403  403   403      403    403   403  401    200+     200+  401     401
    getStatement, absent    401  403  403   403      403    403   403  401    404      404   401     401
    getStatement, malformed 401  403  403   403      403    403   403  401    404      404   401     401
  `,
  requests: {
    getOwnStatement: get(at('/v1/account/statements/2025'), ({ accountId }) => accountId),
    'getOwnStatement, future': get(at('/v1/account/statements/2999')),
    getStatement: get(
      ({ accountId }) => `/v1/accounts/${accountId}/statements/2025`,
      ({ accountId }) => accountId,
    ),
    'getStatement, absent': get(() => `/v1/accounts/${absent('acc')}/statements/2025`),
    'getStatement, malformed': get(() => `/v1/accounts/${MALFORMED}/statements/2025`),
  },
};
