import { at, get, Permissions } from '../system/permissions/request';

/** Who may call the health operations. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                  anon self other unlinked member owner susp closed platform admin expired revoked
    getLiveness   200  200  200   200      200    200   200  200    200      200   200     200
    getReadiness  200  200  200   200      200    200   200  200    200      200   200     200
  `,
  requests: {
    getLiveness: get(at('/health/live')),
    getReadiness: get(at('/health/ready')),
  },
};
