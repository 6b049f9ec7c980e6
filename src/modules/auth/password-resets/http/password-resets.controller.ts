import { Body, Controller, Headers, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Device } from '../../../../platform/audit/audit-trail';
import { MessageResponse } from '../../../../platform/http/response-fields';
import { Operation } from '../../../../platform/http/operation';
import { chooseLanguage } from '../../../../platform/i18n/messages';
import { CallingDevice } from '../../http/calling-device';
import { invalidResetToken } from '../domain/emailed-link';
import { PasswordResets } from '../domain/password-resets';
import { RequestPasswordResetRequest, ResetPasswordRequest } from './password-resets.dto';

/** Forgotten passwords. */
@ApiTags('Authentication')
@Controller('v1/auth/password-reset')
export class PasswordResetsController {
  constructor(private readonly resets: PasswordResets) {}

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
  ): Promise<MessageResponse> {
    const language = chooseLanguage(acceptLanguage, null);
    await this.resets.request(email, device, language);
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
  async reset(
    @Body() { token, password }: ResetPasswordRequest,
    @CallingDevice() device: Device,
  ): Promise<MessageResponse> {
    await this.resets.reset(token, password, device);
    return { message: 'The password was changed. All sessions have ended.' };
  }
}
