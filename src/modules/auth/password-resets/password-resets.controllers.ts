import { Body, Controller, Get, Headers, Inject, Post } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { Device } from '../../../platform/audit/audit-trail';
import { Operation } from '../../../platform/http/operation';
import { SecretField, StringField } from '../../../platform/http/request-fields';
import { exampleId, MessageResponse, ResponseField, Timestamp } from '../../../platform/http/response-fields';
import { chooseLanguage } from '../../../platform/i18n/messages';
import { authSettings, AuthSettings } from '../auth.settings';
import { passwordRule } from '../domain/passwords';
import { Principal } from '../domain/principal';
import { Caller, CallingDevice } from '../http/caller';
import { type OwnEmail, OwnEmails } from './email-verifications.service';
import { invalidResetToken } from './emailed-link';
import { PasswordResetRequests, PasswordResets } from './password-resets.service';

const TOKEN_EXAMPLE = '6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ';

class RequestPasswordResetRequest {
  @StringField(0, 254, 'ada@example.com') email: string;
}

class ResetPasswordRequest {
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

class EmailsResponse {
  @ApiProperty({ type: [EmailResponse] }) data: EmailResponse[];

  @ResponseField({
    type: 'boolean',
    example: true,
    description:
      'Whether the email must be verified before API keys, webhook endpoints, users of the account and a second factor can be created.',
  })
  verification_required: boolean;
}

function emailResponse({ subjectId: id, email, ...own }: OwnEmail): EmailResponse {
  return {
    id,
    email,
    verified: own.isEmailVerified,
    verified_at: own.emailVerifiedAt?.toISOString() ?? null,
  };
}

/** Forgotten passwords. */
@ApiTags('Authentication')
@Controller('v1/auth/password-reset')
export class PasswordResetsController {
  constructor(
    private readonly requests: PasswordResetRequests,
    private readonly resets: PasswordResets,
  ) {}

  @Post()
  @Operation({
    id: 'requestPasswordReset',
    summary: 'Request a link to set a new password',
    access: 'public',
    description:
      'Sends an email with a link if a user or an account with this email may log in, and with a link for each if both may. The response is the same if none does. A link works once, for one hour. An email that has been sent too many links within an hour gets no further one, with the same response. Without a mail server the response is `invalid_request`.',
    response: { type: MessageResponse, description: 'The email will be sent if the email address is known.' },
  })
  async request(
    @Body() { email }: RequestPasswordResetRequest,
    @CallingDevice() device: Device,
    @Headers('accept-language') acceptLanguage: string | undefined,
  ) {
    await this.requests.create(email, device, chooseLanguage(acceptLanguage, null));
    return { message: 'If the email address is known, an email with a link is on its way.' };
  }

  @Post('confirmation')
  @Operation({
    id: 'resetPassword',
    summary: 'Set a new password with the token of a link',
    access: 'public',
    errors: [invalidResetToken],
    description:
      'For clients with a page of their own (`PASSWORD_RESET_URL`). Changes the password of the user or the account that the link is for, and ends all of its sessions. If the email was not verified before, it now is, and what a stranger may have set up is removed: the second factor, and of an account its API keys, webhook endpoints and members.',
    response: { type: MessageResponse, description: 'The password was changed.' },
  })
  async reset(@Body() { token, password }: ResetPasswordRequest, @CallingDevice() device: Device) {
    await this.resets.reset(token, password, device);
    return { message: 'The password was changed. All sessions have ended.' };
  }
}

/** Whether the caller's emails are verified. The page behind the link verifies them. */
@ApiTags('Authentication')
@Controller('v1/auth/email')
export class EmailVerificationsController {
  constructor(
    private readonly emails: OwnEmails,
    @Inject(authSettings.token) private readonly settings: AuthSettings,
  ) {}

  @Get()
  @Operation({
    id: 'listOwnEmails',
    summary: 'See whether your email is verified',
    description:
      'Lists the email of your user, that of the account whose password opened the session, and that of the account that you own.',
    response: { type: EmailsResponse, description: 'The emails.' },
  })
  async list(@Caller() caller: Principal) {
    return {
      data: (await this.emails.list(caller)).map(emailResponse),
      verification_required: this.settings.requireVerifiedEmail,
    };
  }

  @Post('verification')
  @Operation({
    id: 'requestEmailVerification',
    forSupport: true,
    summary: 'Request a link to verify your email',
    description:
      'Sends a link to each of your emails that is not verified. The page behind it asks for the password. A link works once, for 24 hours. Sign-ups and changes of an email send one as well. Without a mail server the response is `invalid_request`.',
    response: { type: MessageResponse, description: 'The email will be sent, unless the email is verified.' },
  })
  async request(@Caller() caller: Principal) {
    const isSent = await this.emails.requestVerification(caller);
    return { message: isSent ? 'An email with a link is on its way.' : 'Your email is already verified.' };
  }
}
