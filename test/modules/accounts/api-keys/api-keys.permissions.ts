import { absent, at, get, MALFORMED, Permissions, post, remove } from '../../../system/permissions/request';
import { Home } from '../../../system/permissions/cast';
import { created } from '../../../support/people';

const keys = new WeakMap<Home, Promise<string>>();

/** A live key of the account. */
export function apiKeyId(home: Home): Promise<string> {
  const create = async (): Promise<string> =>
    (await created(home.owner.api, '/v1/api-keys', { name: 'Web shop' })).id;
  const id = keys.get(home) ?? create();
  keys.set(home, id);
  return id;
}

/** Who may call the operations on API keys. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  prepare: apiKeyId,
  matrix: `
                               anon self other unlinked member owner susp closed platform admin expired revoked
    createApiKey               401  201  201   403      403    201   403  401    403      403   401     401
    createApiKey, platform     401  403  403   403      403    403   403  401    403      201   401     401
    listApiKeys                401  200+ 200-  403      403    200+  200+ 401    403      200-  401     401
    listApiKeys, by account    401  200+ 403   403      403    200+  200+ 401    403      200+  401     401
    revokeApiKey               401  200  404   403      403    200   200  401    403      200   401     401
    revokeApiKey, absent       401  404  404   403      403    404   404  401    403      404   401     401
    revokeApiKey, malformed    401  404  404   403      403    404   404  401    403      404   401     401
  `,
  requests: {
    createApiKey: post('/v1/api-keys', () => ({ name: 'Web shop' })),
    'createApiKey, platform': post('/v1/api-keys', () => ({ name: 'Rails', role: 'platform' })),
    listApiKeys: get(at('/v1/api-keys'), apiKeyId),
    'listApiKeys, by account': get(({ accountId }) => `/v1/api-keys?account_id=${accountId}`, apiKeyId),
    revokeApiKey: remove(async (home) => `/v1/api-keys/${await apiKeyId(home)}`),
    'revokeApiKey, absent': remove(() => `/v1/api-keys/${absent('key')}`),
    'revokeApiKey, malformed': remove(() => `/v1/api-keys/${MALFORMED}`),
  },
};
