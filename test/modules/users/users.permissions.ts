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
const newUser = (more: object = {}) => ({ email: someEmail(), password: PASSWORD, ...more });
const ofUser = (request: Request): Request => ({ ...request, about: 'user' });
const user = async ({ member }: Home) => `/v1/users/${(await member()).id}`;

/** Who may call the operations of users (interface 4.2). The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                        anon self other unlinked member owner susp closed platform admin expired revoked
    createUser                          201  201  201   201      201    201   403  401    201      201   401     401
    createUser, with role               401  401  401   401      401    401   401  401    401      201   401     401
    createUser, with status             401  401  401   401      401    401   401  401    401      201   401     401
    createUser, with account_id         401  401  401   401      401    401   401  401    401      201   401     401
    createUser, with absent account_id  401  401  401   401      401    401   401  401    401      400   401     401
    inviteUser                          401  201  201   403      403    201   403  401    403      201   401     401
    listUsers                           401  200+ 200-  403      403    200+  200+ 401    200+     200+  401     401
    getUser                             401  200  404   404      404    200   200  401    200      200   401     401
    getUser, absent                     401  404  404   404      404    404   404  401    404      404   401     401
    getUser, malformed                  401  404  404   404      404    404   404  401    404      404   401     401
    updateUser                          401  200  404   404      404    401   401  401    401      200   401     401
    updateUser, nothing                 401  200  404   404      404    401   401  401    401      200   401     401
    updateUser, password                401  200  404   404      404    401   401  401    401      200   401     401
    updateUser, status                  401  200  404   404      404    401   401  401    401      200   401     401
    updateUser, role                    401  401  404   404      404    401   401  401    401      200   401     401
    updateUser, absent                  401  404  404   404      404    404   404  401    404      404   401     401
    updateUser, malformed               401  404  404   404      404    404   404  401    404      404   401     401
    deleteUser                          401  200  403   403      403    200   403  401    403      200   401     401
    deleteUser, absent                  401  403  403   403      403    403   403  401    403      404   401     401
    deleteUser, malformed               401  403  403   403      403    403   403  401    403      404   401     401
  `,
  requests: {
    createUser: post('/v1/users', () => newUser()),
    'createUser, with role': post('/v1/users', () => newUser({ role: 'platform' })),
    'createUser, with status': post('/v1/users', () => newUser({ status: 'active' })),
    'createUser, with account_id': post('/v1/users', ({ accountId }) => newUser({ account_id: accountId })),
    'createUser, with absent account_id': post('/v1/users', () => newUser({ account_id: absent('acc') })),
    inviteUser: post('/v1/user-invitations', () => ({ email: someEmail() })),
    listUsers: get(at('/v1/users?limit=100'), async ({ member }) => (await member()).id),
    getUser: ofUser(get(user)),
    'getUser, absent': ofUser(get(() => `/v1/users/${absent('usr')}`)),
    'getUser, malformed': ofUser(get(() => `/v1/users/${MALFORMED}`)),
    updateUser: ofUser(patch(user, { name: 'Grace Hopper' })),
    'updateUser, nothing': ofUser(patch(user, {})),
    'updateUser, password': ofUser(patch(user, { password: NEW_PASSWORD })),
    'updateUser, status': ofUser(patch(user, { status: 'suspended' })),
    'updateUser, role': ofUser(patch(user, { role: 'user' })),
    'updateUser, absent': ofUser(patch(() => `/v1/users/${absent('usr')}`, { name: 'Nobody' })),
    'updateUser, malformed': ofUser(patch(() => `/v1/users/${MALFORMED}`, { name: 'Nobody' })),
    deleteUser: ofUser(remove(user)),
    'deleteUser, absent': ofUser(remove(() => `/v1/users/${absent('usr')}`)),
    'deleteUser, malformed': ofUser(remove(() => `/v1/users/${MALFORMED}`)),
  },
};
