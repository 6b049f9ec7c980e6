import { at, get, Permissions, post } from '../../../system/permissions/request';

/** Who may ask for a new password, and for a link to verify an email. The columns and cells are described in permissions.suite.ts. */
export const permissions: Permissions = {
  matrix: `
                                            anon self other unlinked member owner susp closed platform admin expired revoked
    requestPasswordReset                    200  200  200   200      200    200   200  200    200      200   200     200
    resetPassword, unknown token            400r 400r 400r  400r     400r   400r  400r 400r   400r     400r  400r    400r
    listOwnEmails                           401  200  200   200      200    200   200  401    200      200   401     401
    requestEmailVerification                401  200  200   200      200    200   200  401    200      200   401     401
  `,
  requests: {
    requestPasswordReset: post('/v1/auth/password-reset', (_, { email }) => ({ email })),
    'resetPassword, unknown token': post('/v1/auth/password-reset/confirmation', () => ({
      token: 'unknown',
      password: 'another long enough one',
    })),
    listOwnEmails: get(at('/v1/auth/email')),
    requestEmailVerification: post('/v1/auth/email/verification', () => ({})),
  },
};
