import { Body, Controller, Delete, Get, Patch, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Precondition } from '../../../kernel/domain-error';
import { Device } from '../../../platform/audit/audit-trail';
import { IdempotentRequest, StoredResponse } from '../../../platform/database/database';
import { pageOrCsv } from '../../../platform/http/csv-export';
import { IfMatch, VersionedOperation } from '../../../platform/http/entity-tag';
import { IdParam, Operation } from '../../../platform/http/operation';
import { Principal } from '../../auth';
import { Caller, CallingDevice, IdempotencyKey } from '../../auth/http';
import { User } from '../domain/user';
import { UserChanges } from '../application/user-changes.service';
import { UserCreation, Users } from '../application/users.service';
import {
  CreateUserRequest,
  DeletedUserResponse,
  GetUserQuery,
  ListUsersQuery,
  UpdateUserRequest,
  UserLogins,
  userResponse,
  UserResponse,
  UsersResponse,
  usersResponse,
  viewedUserResponse,
  ViewedUserResponse,
} from './users.dto';

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
    errors: ['email_exists', 'unauthorized', 'conflict'],
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
  ): Promise<StoredResponse> {
    return this.creation.create({ caller, device }, body, { ...request, render: userResponse });
  }

  @Get()
  @Operation({
    id: 'listUsers',
    summary: 'List users',
    errors: ['forbidden'],
    description:
      'Newest first. Admins and platform systems see all users, account owners see the users linked to their account.',
    response: { type: UsersResponse, description: 'One page of users.' },
    alsoAs: ['text/csv'],
  })
  async list(
    @Caller() caller: Principal,
    @Query() query: ListUsersQuery,
  ): Promise<UsersResponse | StreamableFile> {
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
  async get(
    @Caller() caller: Principal,
    @IdParam('user_id', 'usr', 'The id of the user.') id: string,
    @Query() { view }: GetUserQuery,
  ): Promise<ViewedUserResponse> {
    const user = await this.users.get(caller, id);
    return viewedUserResponse(user, await this.logins([user], view));
  }

  @Patch(':user_id')
  @VersionedOperation({
    id: 'updateUser',
    summary: 'Update a user',
    errors: ['not_found', 'forbidden', 'conflict', 'precondition_failed'],
    description:
      'Changes only the given fields. A new password ends the other sessions of the user; a status other than `active` ends all sessions. While the account of the user is suspended, the user can change only the password (`forbidden`). Where a second admin has to approve, the role `admin` cannot be set (`conflict`; see `POST /v1/approvals`), nor the password of another admin (`forbidden`).',
    response: { type: UserResponse, description: 'The updated user.' },
  })
  async update(
    @Caller() caller: Principal,
    @IdParam('user_id', 'usr', 'The id of the user.') id: string,
    @Body() { reason, ...change }: UpdateUserRequest,
    @IfMatch() precondition: Precondition,
  ): Promise<UserResponse> {
    return userResponse(await this.changes.update(caller, id, change, precondition, reason));
  }

  @Delete(':user_id')
  @Operation({
    id: 'deleteUser',
    summary: 'Delete a user permanently',
    errors: ['not_found', 'forbidden', 'precondition_failed'],
    response: {
      type: DeletedUserResponse,
      description: 'The user is deleted and its sessions have ended.',
    },
  })
  async delete(
    @Caller() caller: Principal,
    @IdParam('user_id', 'usr', 'The id of the user.') id: string,
    @IfMatch() precondition: Precondition,
  ): Promise<DeletedUserResponse> {
    await this.changes.delete(caller, id, precondition);
    return { message: 'The user was deleted.', id };
  }

  /** What whole users show besides their rows. */
  private async logins(users: readonly User[], view?: 'full'): Promise<UserLogins | null> {
    return view === 'full' ? this.users.logins(users) : null;
  }
}
