import type { FieldOptions } from '../../../platform/http/request-fields';
import { SecretField } from '../../../platform/http/request-fields';

/** A code of the authenticator app, or a recovery code. */
export const OtpField = (options: Pick<FieldOptions, 'optional' | 'inExample'> = {}) =>
  SecretField(
    'The code of the authenticator app, or a recovery code. Each code works once.',
    options,
    '492039',
  );
