import { codeAt } from '../../../support/authenticator';
import { PASSWORD } from '../../../support/people';
import {
  absent,
  at,
  get,
  MALFORMED,
  Permissions,
  post,
  remove,
  Request,
} from '../../../system/permissions/request';

const NEW_PASSWORD = 'another long enough one';
const ofUser = (request: Request): Request => ({ ...request, about: 'user' });

/** Who may set up and reset second factors. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                            anon self other unlinked member owner susp closed platform admin expired revoked
    getSecondFactor                         401  200  200   200      200    200   200  401    200      200   401     401
    enrolSecondFactor                       401  200  200   200      200    200   200  401    200      200   401     401
    enrolSecondFactor, wrong password       401  401c 401c  401c     401c   401c  401c 401    401c     401c  401     401
    confirmSecondFactor                     401  200  200   200      200    200   200  401    200      200   401     401
    replaceRecoveryCodes, without a factor  401  409  409   409      409    409   409  401    409      409   401     401
    disableSecondFactor, without a factor   401  409  409   409      409    409   409  401    409      409   401     401
    resetSecondFactorOfUser                 401  403  403   403      403    403   403  401    403      200   401     401
    resetSecondFactorOfUser, absent         401  403  403   403      403    403   403  401    403      404   401     401
    resetSecondFactorOfUser, malformed      401  403  403   403      403    403   403  401    403      404   401     401
    resetSecondFactorOfAccount              401  403  403   403      403    403   403  401    403      200   401     401
    resetSecondFactorOfAccount, absent      401  403  403   403      403    403   403  401    403      404   401     401
    resetSecondFactorOfAccount, malformed   401  403  403   403      403    403   403  401    403      404   401     401
  `,
  requests: {
    getSecondFactor: get(at('/v1/auth/otp')),
    enrolSecondFactor: post('/v1/auth/otp', () => ({ password: PASSWORD })),
    'enrolSecondFactor, wrong password': post('/v1/auth/otp', () => ({ password: NEW_PASSWORD })),
    confirmSecondFactor: post('/v1/auth/otp/confirmation', async (_, { api }) => {
      const { body } = await api.post('/v1/auth/otp', { password: PASSWORD });
      return { otp: body.secret === undefined ? '' : codeAt(body.secret, new Date()) };
    }),
    'replaceRecoveryCodes, without a factor': post('/v1/auth/otp/recovery-codes', () => ({ otp: '' })),
    'disableSecondFactor, without a factor': remove(at('/v1/auth/otp'), () => ({ otp: '' })),
    resetSecondFactorOfUser: ofUser(remove(async ({ member }) => `/v1/users/${(await member()).id}/otp`)),
    'resetSecondFactorOfUser, absent': remove(at(`/v1/users/${absent('usr')}/otp`)),
    'resetSecondFactorOfUser, malformed': remove(at(`/v1/users/${MALFORMED}/otp`)),
    resetSecondFactorOfAccount: remove(({ accountId }) => `/v1/accounts/${accountId}/otp`),
    'resetSecondFactorOfAccount, absent': remove(at(`/v1/accounts/${absent('acc')}/otp`)),
    'resetSecondFactorOfAccount, malformed': remove(at(`/v1/accounts/${MALFORMED}/otp`)),
  },
};
