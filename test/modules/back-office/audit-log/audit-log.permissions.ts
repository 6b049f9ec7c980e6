import { absent, at, get, MALFORMED, Permissions } from '../../../system/permissions/request';

/** Who may call the operations of the audit log. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                anon self other unlinked member owner susp closed platform admin expired revoked
    listAuditLog                401  403  403   403      403    403   403  401    403      200   401     401
    listAuditLog, object_id     401  403  403   403      403    403   403  401    403      200   401     401
    listAuditLog, absent cursor 401  403  403   403      403    403   403  401    403      200   401     401
    getAuditEntry               401  403  403   403      403    403   403  401    403      200   401     401
    getAuditEntry, absent       401  403  403   403      403    403   403  401    403      404   401     401
    getAuditEntry, malformed    401  403  403   403      403    403   403  401    403      404   401     401
  `,
  requests: {
    listAuditLog: get(at('/v1/audit-log')),
    'listAuditLog, object_id': get(({ accountId }) => `/v1/audit-log?object_id=${accountId}`),
    'listAuditLog, absent cursor': get(() => `/v1/audit-log?starting_after=${absent('aud')}`),
    getAuditEntry: get(async ({ auditEntryId }) => `/v1/audit-log/${await auditEntryId()}`),
    'getAuditEntry, absent': get(() => `/v1/audit-log/${absent('aud')}`),
    'getAuditEntry, malformed': get(() => `/v1/audit-log/${MALFORMED}`),
  },
};
