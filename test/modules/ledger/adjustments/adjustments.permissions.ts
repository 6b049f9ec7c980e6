import { absent, at, get, MALFORMED, Permissions, post } from '../../../system/permissions/request';
import { Home } from '../../../system/permissions/cast';
import { created, theAdmin } from '../../../support/people';

const aCredit = () => ({
  amount: 5,
  currency: 'USD',
  direction: 'credit',
  reason: 'A fee was charged twice.',
});
const ofAccount = ({ accountId }: Home) => `/v1/accounts/${accountId}/adjustments`;

const adjustments = new WeakMap<Home, Promise<string>>();

/** An adjustment of the account. @returns its id */
function anAdjustment(home: Home): Promise<string> {
  const create = async (): Promise<string> => {
    const { api } = await theAdmin(home.owner.api);
    return (await created(api, ofAccount(home), aCredit())).id;
  };
  const id = adjustments.get(home) ?? create();
  adjustments.set(home, id);
  return id;
}

/** Who may call the operations of adjustments. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  prepare: anAdjustment,
  matrix: `
                                   anon self other unlinked member owner susp closed platform admin expired revoked
    createAdjustment               401  403  403   403      403    403   403  401    403      201   401     401
    createAdjustment, absent       401  403  403   403      403    403   403  401    403      404   401     401
    createAdjustment, malformed    401  403  403   403      403    403   403  401    403      404   401     401
    listAdjustments                401  403  403   403      403    403   403  401    200+     200+  401     401
    listAdjustments, account_id    401  403  403   403      403    403   403  401    200+     200+  401     401
    listAdjustments, absent cursor 401  403  403   403      403    403   403  401    200      200   401     401
    getAdjustment                  401  403  403   403      403    403   403  401    200      200   401     401
    getAdjustment, absent          401  403  403   403      403    403   403  401    404      404   401     401
    getAdjustment, malformed       401  403  403   403      403    403   403  401    404      404   401     401
  `,
  requests: {
    createAdjustment: post(ofAccount, aCredit),
    'createAdjustment, absent': post(() => `/v1/accounts/${absent('acc')}/adjustments`, aCredit),
    'createAdjustment, malformed': post(() => `/v1/accounts/${MALFORMED}/adjustments`, aCredit),
    listAdjustments: get(at('/v1/adjustments'), anAdjustment),
    'listAdjustments, account_id': get(
      ({ accountId }) => `/v1/adjustments?account_id=${accountId}`,
      anAdjustment,
    ),
    'listAdjustments, absent cursor': get(() => `/v1/adjustments?starting_after=${absent('adj')}`),
    getAdjustment: get(async (home) => `/v1/adjustments/${await anAdjustment(home)}`),
    'getAdjustment, absent': get(() => `/v1/adjustments/${absent('adj')}`),
    'getAdjustment, malformed': get(() => `/v1/adjustments/${MALFORMED}`),
  },
};
