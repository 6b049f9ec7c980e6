import {
  absent,
  at,
  get,
  MALFORMED,
  patch,
  Permissions,
  post,
  remove,
  Request,
} from '../../system/permissions/request';
import { Home } from '../../system/permissions/cast';
import { PASSWORD, someEmail } from '../../support/people';

const NEW_PASSWORD = 'another long enough one';
const ofUser = (request: Request): Request => ({ ...request, about: 'user' });
const user = async ({ member }: Home) => `/v1/users/${(await member()).id}`;
const sessions = ({ sessionId }: Home) => sessionId();

/** Who may call the operations of authentication (interface 4.1). The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                            anon self other unlinked member owner susp closed platform admin expired revoked
    login                                   401c 200  200   200      200    200   200  401    200      200   200     200
    login, wrong password                   401c 401c 401c  401c     401c   401c  401c 401c   401c     401c  401c    401c
    refreshTokens                           401  200  200   200      200    200   200  401    200      200   200     401
    changePassword                          401  200  200   200      200    200   200  401    200      200   401     401
    changePassword, wrong current password  401  401c 401c  401c     401c   401c  401c 401    401c     401c  401     401
    changeEmail                             401  200  200   200      200    200   403  401    200      200   401     401
    changeEmail, wrong password             401  401c 401c  401c     401c   401c  401c 401    401c     401c  401     401
    listSessions                            401  200+ 200-  200-     200-   200-  200- 401    200-     200-  401     401
    endSession                              401  200  200   200      200    200   200  401    200      200   401     401
    endSession, the account's               401  200  404s  404s     404s   404s  404s 401    404s     404s  401     401
    endSession, absent                      401  404s 404s  404s     404s   404s  404s 401    404s     404s  401     401
    listUserSessions                        401  403  403   403      403    403   403  401    403      200   401     401
    listUserSessions, absent                401  403  403   403      403    403   403  401    403      404   401     401
    endUserSessions                         401  403  403   403      403    403   403  401    403      200   401     401
    endUserSessions, absent                 401  403  403   403      403    403   403  401    403      404   401     401
    endUserSession, absent                  401  403  403   403      403    403   403  401    403      404s  401     401
    listAccountSessions                     401  403  403   403      403    403   403  401    403      200+  401     401
    listAccountSessions, malformed          401  403  403   403      403    403   403  401    403      404   401     401
    endAccountSessions                      401  403  403   403      403    403   403  401    403      200   401     401
    endAccountSession                       401  403  403   403      403    403   403  401    403      200   401     401
    endAccountSession, absent               401  403  403   403      403    403   403  401    403      404s  401     401
    getOwnVersion                           401  200  200   403      200    200   200  401    403      403   401     401
    updateOwnVersion                        401  200  200   403      403    200   403  401    403      403   401     401
    endSession, malformed                   401  404s 404s  404s     404s   404s  404s 401    404s     404s  401     401
  `,
  requests: {
    login: post('/v1/auth/login', (_, { email }) => ({ email, password: PASSWORD })),
    'login, wrong password': post('/v1/auth/login', (_, { email }) => ({ email, password: NEW_PASSWORD })),
    refreshTokens: post('/v1/auth/refresh', (_, { refreshToken }) => ({ refresh_token: refreshToken })),
    changePassword: post('/v1/auth/password', () => ({ current_password: PASSWORD, password: NEW_PASSWORD })),
    'changePassword, wrong current password': post('/v1/auth/password', () => ({
      current_password: NEW_PASSWORD,
      password: PASSWORD,
    })),
    changeEmail: post('/v1/auth/email', () => ({ current_password: PASSWORD, email: someEmail() })),
    'changeEmail, wrong password': post('/v1/auth/email', () => ({
      current_password: NEW_PASSWORD,
      email: someEmail(),
    })),
    listSessions: get(at('/v1/auth/sessions'), sessions),
    endSession: remove(at('/v1/auth/session')),
    "endSession, the account's": remove(at('/v1/auth/session'), async (home) => ({
      session_id: await home.sessionId(),
    })),
    getOwnVersion: get(at('/v1/account/version')),
    updateOwnVersion: patch(at('/v1/account/version'), { version: '2026-11-20' }),
    listUserSessions: ofUser(get(async (home) => `${await user(home)}/sessions`)),
    'listUserSessions, absent': ofUser(get(() => `/v1/users/${absent('usr')}/sessions`)),
    endUserSessions: ofUser(remove(async (home) => `${await user(home)}/sessions`)),
    'endUserSessions, absent': ofUser(remove(() => `/v1/users/${absent('usr')}/sessions`)),
    'endUserSession, absent': ofUser(remove(async (home) => `${await user(home)}/sessions/${absent('ses')}`)),
    listAccountSessions: get(({ accountId }) => `/v1/accounts/${accountId}/sessions`, sessions),
    'listAccountSessions, malformed': get(() => `/v1/accounts/${MALFORMED}/sessions`),
    endAccountSessions: remove(({ accountId }) => `/v1/accounts/${accountId}/sessions`),
    endAccountSession: remove(
      async (home) => `/v1/accounts/${home.accountId}/sessions/${await home.sessionId()}`,
    ),
    'endAccountSession, absent': remove(
      ({ accountId }) => `/v1/accounts/${accountId}/sessions/${absent('ses')}`,
    ),
    'endSession, absent': remove(at('/v1/auth/session'), () => ({ session_id: absent('ses') })),
    'endSession, malformed': remove(at('/v1/auth/session'), () => ({ session_id: MALFORMED })),
  },
};
