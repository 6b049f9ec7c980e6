import { at, get, Permissions } from '../../system/permissions/request';

/** Who sees the totals. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                         anon self other unlinked member owner susp closed platform admin expired revoked
    getTotals            401  403  403   403      403    403   403  401    200      200   401     401
    getTotals, malformed 401  400  400   400      400    400   400  401    400      400   401     401
  `,
  requests: {
    getTotals: get(at('/v1/totals')),
    'getTotals, malformed': get(at('/v1/totals?from=yesterday')),
  },
};
