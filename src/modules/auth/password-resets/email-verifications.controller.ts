import { Controller, Get, Inject, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { MessageResponse } from '../../../platform/http/response-fields';
import { Operation } from '../../../platform/http/operation';
import { authSettings, AuthSettings } from '../auth.settings';
import { Principal } from '../domain/principal';
import { Caller } from '../http/caller';
import { OwnEmails } from './email-verifications.service';
import { emailResponse, EmailsResponse } from './password-resets.dto';

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
  async list(@Caller() caller: Principal): Promise<EmailsResponse> {
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
  async request(@Caller() caller: Principal): Promise<MessageResponse> {
    const isSent = await this.emails.requestVerification(caller);
    return { message: isSent ? 'An email with a link is on its way.' : 'Your email is already verified.' };
  }
}
