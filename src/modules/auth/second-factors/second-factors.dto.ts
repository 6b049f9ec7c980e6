import { type FieldOptions, SecretField } from '../../../platform/http/request-fields';
import { countSchema, ResponseField, Timestamp } from '../../../platform/http/response-fields';

const OTP_EXAMPLE = '492039';

/** A code of the authenticator app, or a recovery code. */
export const OtpField = (options: Pick<FieldOptions, 'optional' | 'inExample'> = {}) =>
  SecretField(
    'The code of the authenticator app, or a recovery code. Each code works once.',
    options,
    OTP_EXAMPLE,
  );

export class BeginEnrolmentRequest {
  @SecretField('The current password.') password: string;
  @OtpField({ optional: true, inExample: false }) otp?: string;
}

export class ConfirmEnrolmentRequest {
  @SecretField('The code that the authenticator app shows after the enrolment.', {}, OTP_EXAMPLE) otp: string;
}

export class OtpRequest {
  @OtpField() otp: string;
}

export class SecondFactorResponse {
  @ResponseField({ type: 'boolean', example: true, description: 'Whether a login requires a code.' })
  enabled: boolean;

  @Timestamp('The time since which a login requires a code.', { nullable: true }) confirmed_at: string | null;

  @ResponseField({ ...countSchema, example: 10, description: 'The number of unused recovery codes.' })
  recovery_codes_left: number;
}

export class EnrolmentResponse {
  @ResponseField({
    example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    description: 'The secret in base32, to type into an authenticator app.',
  })
  secret: string;

  @ResponseField({
    example: 'otpauth://totp/Countinghouse:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    description: 'The same as a URI that authenticator apps open.',
  })
  uri: string;

  @ResponseField({
    example: 'data:image/png;base64,iVBORw0KGgo=',
    description: 'The URI as a QR code: a `data:` URI of a PNG image.',
  })
  qr_code: string;
}

export class RecoveryCodesResponse {
  @ResponseField({
    type: [String],
    example: ['XK4D2A-Q7PLM3-5RTB6N-WZ2YHC'],
    description: 'Ten codes that each replace one code of the app. They are not shown again.',
  })
  recovery_codes: string[];
}
