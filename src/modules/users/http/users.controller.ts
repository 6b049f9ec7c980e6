import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answer } from '../../../platform/database/idempotency';
import { PathId } from '../../../platform/http/fields';
import { Operation } from '../../../platform/http/operation';
import { Caller, IdempotencyKey, Principal, Repeatable } from '../../auth';
import { Users } from '../application/users.service';
import {
  CreateUserRequest,
  DeletedUserAnswer,
  ListUsersQuery,
  UpdateUserRequest,
  userAnswer,
  UserAnswer,
  usersAnswer,
  UsersAnswer,
} from './users.dto';

/** Interface 4.2. */
@ApiTags('Users')
@Controller('v1/users')
export class UsersController {
  constructor(private readonly users: Users) {}

  @Post()
  @Operation({
    id: 'createUser',
    summary: 'Create a user',
    access: 'optional',
    refusals: ['email_exists', 'unauthorized'],
    idempotent: true,
    description:
      "Without a token an open sign-up. With an account owner's token the user becomes a member of that account. `role`, `status` and `account_id` are an admin's to give.",
    answers: { status: 201, type: UserAnswer, description: 'The new user.' },
  })
  create(
    @Caller() caller: Principal | null,
    @Body() body: CreateUserRequest,
    @IdempotencyKey() request: Repeatable,
  ): Promise<Answer> {
    return this.users.create(caller, body, { ...request, render: userAnswer });
  }

  @Get()
  @Operation({
    id: 'listUsers',
    summary: 'List users',
    access: 'required',
    refusals: ['forbidden'],
    description:
      'Admins and platform systems see all, an account owner those tied to the account. Newest first.',
    answers: { status: 200, type: UsersAnswer, description: 'One page.' },
  })
  async list(@Caller() caller: Principal, @Query() query: ListUsersQuery): Promise<UsersAnswer> {
    const { status, search } = query;
    const { items, total } = await this.users.list(caller, { status, search }, query);
    return usersAnswer(items, total, query);
  }

  @Get(':user_id')
  @Operation({
    id: 'getUser',
    summary: 'Retrieve a user',
    access: 'required',
    refusals: ['not_found'],
    answers: { status: 200, type: UserAnswer, description: 'The user.' },
  })
  async get(
    @Caller() caller: Principal,
    @PathId('user_id', 'usr', 'The id of the user.') id: string,
  ): Promise<UserAnswer> {
    return userAnswer(await this.users.get(caller, id));
  }

  @Patch(':user_id')
  @Operation({
    id: 'updateUser',
    summary: 'Update a user',
    access: 'required',
    refusals: ['not_found', 'forbidden'],
    description:
      'Only the members sent change. A new password ends the other sessions of the user; any status but `active` ends all.',
    answers: { status: 200, type: UserAnswer, description: 'The user as it is now.' },
  })
  async update(
    @Caller() caller: Principal,
    @PathId('user_id', 'usr', 'The id of the user.') id: string,
    @Body() body: UpdateUserRequest,
  ): Promise<UserAnswer> {
    return userAnswer(await this.users.update(caller, id, body));
  }

  @Delete(':user_id')
  @Operation({
    id: 'deleteUser',
    summary: 'Delete a user for good',
    access: 'required',
    refusals: ['not_found', 'forbidden'],
    answers: {
      status: 200,
      type: DeletedUserAnswer,
      description: 'It is gone, and its sessions have ended.',
    },
  })
  async delete(
    @Caller() caller: Principal,
    @PathId('user_id', 'usr', 'The id of the user.') id: string,
  ): Promise<DeletedUserAnswer> {
    await this.users.delete(caller, id);
    return { message: 'The user was deleted.', id };
  }
}
