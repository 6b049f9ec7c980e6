import { apiKeyId } from '../../accounts/api-keys/api-keys.permissions';
import { listedId as approvalId } from '../approvals/approvals.permissions';
import { eventId } from '../../events/log/events.permissions';
import { webhookId } from '../../events/webhooks/webhooks.permissions';
import { Home } from '../../../system/permissions/cast';
import { at, get, Permissions, Request } from '../../../system/permissions/request';

const searchFor = (idOf: (home: Home) => Promise<string>): Request =>
  get(async (home) => `/v1/search?q=${await idOf(home)}`, idOf);

/** Who may search, and finds what. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  prepare: async (home) => {
    for (const idOf of [apiKeyId, webhookId, eventId]) await idOf(home);
  },
  matrix: `
                             anon self other unlinked member owner susp closed platform admin expired revoked
    search                   401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    search, API key          401  200+ 200-  200-     200-   200+  200+ 401    200-     200+  401     401
    search, webhook endpoint 401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    search, approval         401  200- 200-  200-     200-   200-  200- 401    200-     200+  401     401
    search, event            401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    search, without text     401  400  400   400      400    400   400  401    400      400   401     401
  `,
  requests: {
    search: get(
      async ({ transactionId }) => `/v1/search?q=${await transactionId()}`,
      ({ accountId }) => accountId,
    ),
    'search, API key': searchFor(apiKeyId),
    'search, webhook endpoint': searchFor(webhookId),
    'search, approval': searchFor(approvalId),
    'search, event': searchFor(eventId),
    'search, without text': get(at('/v1/search')),
  },
};
