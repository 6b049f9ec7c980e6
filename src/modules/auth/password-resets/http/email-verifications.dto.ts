import { ApiProperty } from '@nestjs/swagger';
import { exampleId, ResponseField, Timestamp } from '../../../../platform/http/response-fields';
import { OwnEmail } from '../domain/email-verifications';

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

export function emailResponse({
  subjectId,
  email,
  isEmailVerified,
  emailVerifiedAt,
}: OwnEmail): EmailResponse {
  return {
    id: subjectId,
    email,
    verified: isEmailVerified,
    verified_at: emailVerifiedAt?.toISOString() ?? null,
  };
}
