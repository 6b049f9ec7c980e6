import { Home } from '../../../system/permissions/cast';
import {
  absent,
  at,
  get,
  MALFORMED,
  patch,
  Permissions,
  post,
  remove,
} from '../../../system/permissions/request';

/** Nothing listens there, and nothing is sent to it within the tests. */
const URL = 'https://hooks.example.com/';

/** The endpoint of a home. Each is created on first use. */
const endpoints = new WeakMap<Home, Promise<string>>();

export function webhookId(home: Home): Promise<string> {
  let id = endpoints.get(home);
  if (id === undefined) {
    id = home.owner.api.post('/v1/webhooks', { url: URL }).then(({ body }) => body.id as string);
    endpoints.set(home, id);
  }
  return id;
}

const path =
  (rest = '') =>
  async (home: Home) =>
    `/v1/webhooks/${await webhookId(home)}${rest}`;
const absentPath = (rest = '') => at(`/v1/webhooks/${absent('whk')}${rest}`);
const malformedPath = (rest = '') => at(`/v1/webhooks/${MALFORMED}${rest}`);
const nothing = () => ({});

/**
 * Who may use the webhook endpoints of an account. Tests are sent to an absent endpoint only, since the others would call
 * another system. The columns and cells are described in permissions.suite.ts.
 */
export const permissions: Permissions = {
  prepare: webhookId,
  matrix: `
                                        anon self other unlinked member owner susp closed platform admin expired revoked
    createWebhook                       401  201  201   403      201    201   403  401    403      403   401     401
    listWebhooks                        401  200+ 200-  200-     200+   200+  200+ 401    200+     200+  401     401
    listWebhooks, absent cursor         401  200  200   200      200    200   200  401    200      200   401     401
    getWebhook                          401  200  404   404      200    200   200  401    200      200   401     401
    getWebhook, absent                  401  404  404   404      404    404   404  401    404      404   401     401
    getWebhook, malformed               401  404  404   404      404    404   404  401    404      404   401     401
    updateWebhook                       401  200  404   404      200    200   403  401    200      200   401     401
    updateWebhook, malformed            401  404  404   404      404    404   404  401    404      404   401     401
    rotateWebhookSecret                 401  200  404   404      200    200   403  401    403      403   401     401
    rotateWebhookSecret, malformed      401  404  404   404      404    404   404  401    404      404   401     401
    expireWebhookSecret                 401  403  403   403      403    403   403  401    403      200   401     401
    expireWebhookSecret, absent         401  403  403   403      403    403   403  401    403      404   401     401
    expireWebhookSecret, malformed      401  403  403   403      403    403   403  401    403      404   401     401
    testWebhook, absent                 401  404  404   404      404    404   404  401    404      404   401     401
    testWebhook, malformed              401  404  404   404      404    404   404  401    404      404   401     401
    listWebhookDeliveries               401  200  404   404      200    200   200  401    200      200   401     401
    listWebhookDeliveries, malformed    401  404  404   404      404    404   404  401    404      404   401     401
    redeliverWebhook, absent            401  404  404   404      404    404   403  401    404      404   401     401
    redeliverWebhook, malformed         401  404  404   404      404    404   403  401    404      404   401     401
    redeliverFailedWebhooks             401  200  404   404      200    200   403  401    200      200   401     401
    redeliverFailedWebhooks, malformed  401  404  404   404      404    404   404  401    404      404   401     401
    listAllWebhookDeliveries            401  403  403   403      403    403   403  401    200      200   401     401
    redeliverAllFailedWebhooks          401  403  403   403      403    403   403  401    200      200   401     401
    redeliverAllFailedWebhooks, absent  401  403  403   403      403    403   403  401    404      404   401     401
    deleteWebhook                       401  200  404   404      200    200   403  401    200      200   401     401
    deleteWebhook, malformed            401  404  404   404      404    404   404  401    404      404   401     401
  `,
  requests: {
    createWebhook: post('/v1/webhooks', () => ({ url: URL })),
    listWebhooks: get(at('/v1/webhooks?limit=100'), webhookId),
    'listWebhooks, absent cursor': get(() => `/v1/webhooks?starting_after=${absent('whk')}`),
    getWebhook: get(path()),
    'getWebhook, absent': get(absentPath()),
    'getWebhook, malformed': get(malformedPath()),
    updateWebhook: patch(path(), { event_types: ['transaction.created'] }),
    'updateWebhook, malformed': patch(malformedPath(), { event_types: null }),
    rotateWebhookSecret: post(path('/secret'), nothing),
    'rotateWebhookSecret, malformed': post(malformedPath('/secret'), nothing),
    expireWebhookSecret: post(path('/secret/expiration'), nothing),
    'expireWebhookSecret, absent': post(absentPath('/secret/expiration'), nothing),
    'expireWebhookSecret, malformed': post(malformedPath('/secret/expiration'), nothing),
    'testWebhook, absent': post(absentPath('/test'), nothing),
    'testWebhook, malformed': post(malformedPath('/test'), nothing),
    listWebhookDeliveries: get(path('/deliveries')),
    'listWebhookDeliveries, malformed': get(malformedPath('/deliveries')),
    'redeliverWebhook, absent': post(path(`/deliveries/${absent('whd')}/redelivery`), nothing),
    'redeliverWebhook, malformed': post(path(`/deliveries/${MALFORMED}/redelivery`), nothing),
    redeliverFailedWebhooks: post(path('/redeliveries'), nothing),
    'redeliverFailedWebhooks, malformed': post(malformedPath('/redeliveries'), nothing),
    listAllWebhookDeliveries: get(at('/v1/webhook-deliveries')),
    redeliverAllFailedWebhooks: post(at('/v1/webhook-deliveries/redeliveries'), nothing),
    'redeliverAllFailedWebhooks, absent': post(at('/v1/webhook-deliveries/redeliveries'), () => ({
      webhook_id: absent('whk'),
    })),
    deleteWebhook: remove(path()),
    'deleteWebhook, malformed': remove(malformedPath()),
  },
};
