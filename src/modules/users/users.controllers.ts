import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Precondition } from '../../kernel/domain-error';
import { Device } from '../../platform/audit/audit-trail';
import { IdempotentRequest } from '../../platform/database/database';
import { pageOrCsv } from '../../platform/http/csv-export';
import { IfMatch, VersionedOperation } from '../../platform/http/entity-tag';
import { IdParam, Operation } from '../../platform/http/operation';
import { MessageResponse } from '../../platform/http/response-fields';
import { Caller, CallingDevice, IdempotencyKey, Principal } from '../auth/http';
import { SecondFactorResets } from './second-factor-resets.service';
import { UserChanges } from './user-changes.service';
import { UserCreation, Users } from './users.service';
import { User } from './user';
import {
  CreateUserRequest,
  DeletedUserResponse,
  GetUserQuery,
  InviteUserRequest,
  ListUsersQuery,
  UpdateUserRequest,
  UserLogins,
  userResponse,
  UserResponse,
  usersResponse,
  UsersResponse,
  viewedUserResponse,
  ViewedUserResponse,
} from './users.dto';

const UserId = () => IdParam('user_id', 'usr', 'The id of the user.');

/** The operations of interface 4.2. */
@ApiTags('Users')
@Controller('v1/users')
export class UsersController {
  constructor(
    private readonly users: Users,
    private readonly creation: UserCreation,
    private readonly changes: UserChanges,
  ) {}

  @Post()
  @Operation({
    id: 'createUser',
    summary: 'Create a user',
    access: 'optional',
    errors: ['email_exists', 'conflict'],
    idempotent: true,
    description:
      "Without a token, this is an open sign-up. With an account owner's token, the user becomes a member of that account, which has at most 1,000 users (`conflict`); production requires that the email of the account is verified (`forbidden`). Only admins may set `role`, `status` and `account_id`. Where a second admin has to approve, a new user cannot have the role `admin` (`conflict`): see `POST /v1/approvals`.",
    response: { type: UserResponse, description: 'The new user.' },
  })
  create(
    @Caller() caller: Principal | null,
    @Body() body: CreateUserRequest,
    @IdempotencyKey() request: IdempotentRequest,
    @CallingDevice() device: Device,
  ) {
    return this.creation.create({ caller, device }, body, { ...request, render: userResponse });
  }

  @Get()
  @Operation({
    id: 'listUsers',
    summary: 'List users',
    description:
      'Newest first. Admins and platform systems see all users, account owners see the users linked to their account.',
    response: { type: UsersResponse, description: 'One page of users.' },
    alsoAs: ['text/csv'],
  })
  async list(@Caller() caller: Principal, @Query() query: ListUsersQuery) {
    const { status, role, account_id: accountId, search, view } = query;
    const filter = { status, role, accountId, search };
    return pageOrCsv(query, {
      itemType: ViewedUserResponse,
      page: async () => {
        const found = await this.users.list(caller, filter, query);
        return usersResponse(found, query, await this.logins(found.items, view));
      },
      walk: () => this.users.walk(caller, filter),
      render: async (users) => {
        const logins = await this.users.logins(users);
        return users.map((user) => viewedUserResponse(user, logins));
      },
    });
  }

  @Get(':user_id')
  @VersionedOperation({
    id: 'getUser',
    summary: 'Retrieve a user',
    errors: ['not_found'],
    response: { type: ViewedUserResponse, description: 'The user.' },
  })
  async get(@Caller() caller: Principal, @UserId() id: string, @Query() { view }: GetUserQuery) {
    const user = await this.users.get(caller, id);
    return viewedUserResponse(user, await this.logins([user], view));
  }

  @Patch(':user_id')
  @VersionedOperation({
    id: 'updateUser',
    summary: 'Update a user',
    errors: ['not_found', 'conflict', 'precondition_failed'],
    description:
      'Changes only the given fields. A new password ends the other sessions of the user; a status other than `active` ends all sessions. While the account of the user is suspended, the user can change only the password (`forbidden`). Where a second admin has to approve, the role `admin` cannot be set (`conflict`; see `POST /v1/approvals`), nor the password of another admin (`forbidden`).',
    response: { type: UserResponse, description: 'The updated user.' },
  })
  async update(
    @Caller() caller: Principal,
    @UserId() id: string,
    @Body() { reason, ...change }: UpdateUserRequest,
    @IfMatch() precondition: Precondition,
  ) {
    return userResponse(await this.changes.update(caller, id, change, precondition, reason));
  }

  @Delete(':user_id')
  @Operation({
    id: 'deleteUser',
    summary: 'Delete a user permanently',
    errors: ['not_found', 'precondition_failed'],
    response: {
      type: DeletedUserResponse,
      description: 'The user is deleted and its sessions have ended.',
    },
  })
  async delete(@Caller() caller: Principal, @UserId() id: string, @IfMatch() precondition: Precondition) {
    await this.changes.delete(caller, id, precondition);
    return { message: 'The user was deleted.', id };
  }

  /** What whole users show besides their rows. */
  private async logins(users: readonly User[], view?: 'full'): Promise<UserLogins | null> {
    return view === 'full' ? this.users.logins(users) : null;
  }
}

/** Users who set their first password by a link in an email. */
@ApiTags('Users')
@Controller('v1/user-invitations')
export class UserInvitationsController {
  constructor(private readonly creation: UserCreation) {}

  @Post()
  @Operation({
    id: 'inviteUser',
    summary: 'Invite a user',
    errors: ['email_exists', 'conflict'],
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
  ) {
    return this.creation.invite(caller, device, body, { ...request, render: userResponse });
  }
}

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
    errors: ['not_found'],
    description: `${DESCRIPTION} Where approvals are required, nor for other admins (\`forbidden\`).`,
    response: RESPONSE,
  })
  async resetOfUser(@Caller() caller: Principal, @UserId() id: string) {
    await this.resets.reset(caller, 'user', id);
    return { message: 'The second factor is off. All sessions of the user have ended.' };
  }

  @Delete('accounts/:account_id/otp')
  @Operation({
    id: 'resetSecondFactorOfAccount',
    summary: 'Reset the lost second factor of an account',
    errors: ['not_found'],
    description: DESCRIPTION,
    response: RESPONSE,
  })
  async resetOfAccount(
    @Caller() caller: Principal,
    @IdParam('account_id', 'acc', 'The id of the account.') id: string,
  ) {
    await this.resets.reset(caller, 'account', id);
    return { message: 'The second factor is off. All sessions of the account have ended.' };
  }
}
