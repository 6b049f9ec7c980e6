import { Controller, Delete } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { MessageResponse } from '../../../platform/http/response-fields';
import { IdParam, Operation } from '../../../platform/http/operation';
import { Principal } from '../../auth';
import { Caller } from '../../auth/http';
import { SecondFactorResets } from '../application/second-factor-resets.service';

const DESCRIPTION =
  'For owners who have lost their authenticator app and recovery codes. It also ends the sessions that were opened with the password. Only admins may call it, and not for themselves.';
const RESPONSE = { type: MessageResponse, description: 'The second factor is off.' };

/** Resets of lost second factors by admins. */
@ApiTags('Authentication')
@Controller('v1')
export class SecondFactorResetsController {
  constructor(private readonly resets: SecondFactorResets) {}

  @Delete('users/:user_id/otp')
  @Operation({
    id: 'resetSecondFactorOfUser',
    summary: 'Reset the lost second factor of a user',
    errors: ['not_found', 'forbidden'],
    description: `${DESCRIPTION} Where approvals are required, nor for other admins (\`forbidden\`).`,
    response: RESPONSE,
  })
  async resetOfUser(
    @Caller() caller: Principal,
    @IdParam('user_id', 'usr', 'The id of the user.') id: string,
  ): Promise<MessageResponse> {
    await this.resets.reset(caller, 'user', id);
    return { message: 'The second factor is off. All sessions of the user have ended.' };
  }

  @Delete('accounts/:account_id/otp')
  @Operation({
    id: 'resetSecondFactorOfAccount',
    summary: 'Reset the lost second factor of an account',
    errors: ['not_found', 'forbidden'],
    description: DESCRIPTION,
    response: RESPONSE,
  })
  async resetOfAccount(
    @Caller() caller: Principal,
    @IdParam('account_id', 'acc', 'The id of the account.') id: string,
  ): Promise<MessageResponse> {
    await this.resets.reset(caller, 'account', id);
    return { message: 'The second factor is off. All sessions of the account have ended.' };
  }
}
