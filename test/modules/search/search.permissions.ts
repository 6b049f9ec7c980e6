import { at, get, Permissions } from '../../system/permissions/request';

/** Who may search. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                         anon self other unlinked member owner susp closed platform admin expired revoked
    search               401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    search, without text 401  400  400   400      400    400   400  401    400      400   401     401
  `,
  requests: {
    search: get(
      async ({ transactionId }) => `/v1/search?q=${await transactionId()}`,
      ({ accountId }) => accountId,
    ),
    'search, without text': get(at('/v1/search')),
  },
};
