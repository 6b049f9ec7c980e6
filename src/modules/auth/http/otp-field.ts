import { SecretField } from '../../../platform/http/request-fields';

/** A code of the authenticator app, or a recovery code. */
export const OtpField = (options: { optional?: true } = {}) =>
  SecretField(
    'The code of the authenticator app, or a recovery code. Each code works once.',
    options,
    '492039',
  );
