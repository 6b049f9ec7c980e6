import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Device } from '../../../platform/audit/audit-trail';
import { IdempotentRequest, StoredResponse } from '../../../platform/database/database';
import { Operation } from '../../../platform/http/operation';
import { Principal } from '../../auth';
import { Caller, CallingDevice, IdempotencyKey } from '../../auth/http';
import { UserCreation } from '../application/users.service';
import { InviteUserRequest, userResponse, UserResponse } from './users.dto';

/** Users who set their first password by a link in an email. */
@ApiTags('Users')
@Controller('v1/user-invitations')
export class UserInvitationsController {
  constructor(private readonly creation: UserCreation) {}

  @Post()
  @Operation({
    id: 'inviteUser',
    summary: 'Invite a user',
    errors: ['email_exists', 'forbidden', 'conflict'],
    idempotent: true,
    description:
      'Creates a user without a password, and sends a link to set one, which works once, for seven days; later, `POST /v1/auth/password-reset` sends another. An account owner invites a member of that account, an admin may set `role` and `account_id`; the rules of `POST /v1/users` hold. Without a mail server the response is `invalid_request`.',
    response: { type: UserResponse, description: 'The new user. The email is on its way.' },
  })
  invite(
    @Caller() caller: Principal,
    @Body() body: InviteUserRequest,
    @IdempotencyKey() request: IdempotentRequest,
    @CallingDevice() device: Device,
  ): Promise<StoredResponse> {
    return this.creation.invite(caller, device, body, { ...request, render: userResponse });
  }
}
