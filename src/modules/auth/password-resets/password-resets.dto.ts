import { ApiProperty } from '@nestjs/swagger';
import { SecretField, StringField } from '../../../platform/http/request-fields';
import { exampleId, ResponseField, Timestamp } from '../../../platform/http/response-fields';
import { passwordRule } from '../domain/passwords';
import type { OwnEmail } from './email-verifications.service';

const TOKEN_EXAMPLE = '6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ';

export class RequestPasswordResetRequest {
  @StringField(0, 254, 'ada@example.com') email: string;
}

export class ResetPasswordRequest {
  @SecretField('The last part of the link in the email.', {}, TOKEN_EXAMPLE) token: string;
  @SecretField(`The new password. ${passwordRule}`) password: string;
}

class EmailResponse {
  @ResponseField({
    example: exampleId('acc'),
    description: 'The id of the user or the account that has the email.',
  })
  id: string;

  @ResponseField({ example: 'ada@example.com' }) email: string;
  @ResponseField({ type: 'boolean', example: true }) verified: boolean;

  @Timestamp('When it was verified; null if it was not, or if an admin vouches for it.', { nullable: true })
  verified_at: string | null;
}

export class EmailsResponse {
  @ApiProperty({ type: [EmailResponse] }) data: EmailResponse[];

  @ResponseField({
    type: 'boolean',
    example: true,
    description:
      'Whether the email must be verified before API keys, webhook endpoints, users of the account and a second factor can be created.',
  })
  verification_required: boolean;
}

export function emailResponse({ subjectId: id, email, ...own }: OwnEmail): EmailResponse {
  return {
    id,
    email,
    verified: own.isEmailVerified,
    verified_at: own.emailVerifiedAt?.toISOString() ?? null,
  };
}
