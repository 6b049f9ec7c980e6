import { PageRequest } from '../../../kernel/pages';
import { exampleId, Id, Moment, OneOf, Secret, Shown, Text, Email } from '../../../platform/http/fields';
import { QueryInteger } from '../../../platform/http/query-fields';
import { Role, roles } from '../../auth';
import { User } from '../domain/user';
import { userLifecycle, UserStatus } from '../domain/user.lifecycle';

const passwordRule = '8 characters to 72 bytes of UTF-8, none of the most common, not the email.';

export class CreateUserRequest {
  @Email()
  email: string;

  @Secret(passwordRule)
  password: string;

  @Text(1, 255, 'Ada Lovelace', { optional: true, nullable: true })
  name?: string | null;

  @OneOf(roles, { optional: true })
  role?: Role;

  @OneOf(userLifecycle.states, { optional: true })
  status?: UserStatus;

  @Id('acc', { optional: true })
  account_id?: string;
}

export class UpdateUserRequest {
  @Text(1, 255, 'Ada King', { optional: true, nullable: true })
  name?: string | null;

  @OneOf(userLifecycle.states, { optional: true })
  status?: UserStatus;

  @Secret(passwordRule, { optional: true })
  password?: string;

  @OneOf(roles, { optional: true })
  role?: Role;
}

export class ListUsersQuery {
  @QueryInteger(1, 999_999_999, 'Counts from 1.')
  page: number = 1;

  @QueryInteger(25, 100, 'Users per page.')
  limit: number = 25;

  @OneOf(userLifecycle.states, { optional: true, description: 'Only users of this status.' })
  status?: UserStatus;

  @Text(0, 255, 'ada', { optional: true, description: 'A part of the name or the email.' })
  search?: string;
}

export class UserAnswer {
  @Shown({ type: 'string', example: exampleId('usr') })
  id: string;

  @Shown({ type: 'string', example: 'ada@example.com' })
  email: string;

  @Shown({ type: 'string', nullable: true, example: 'Ada Lovelace' })
  name: string | null;

  @Shown({ type: 'string', enum: [...userLifecycle.states] })
  status: UserStatus;

  @Moment()
  created_at: string;

  @Moment()
  updated_at: string;
}

export function userAnswer({ id, email, name, status, createdAt, updatedAt }: User): UserAnswer {
  return {
    id,
    email,
    name,
    status,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

export class UserPagination {
  @Shown({ type: 'integer', example: 1 })
  page: number;

  @Shown({ type: 'integer', example: 25 })
  limit: number;

  @Shown({ type: 'integer', example: 4 })
  total_pages: number;

  @Shown({ type: 'integer', example: 93 })
  total_records: number;
}

export class UsersAnswer {
  @Shown({ type: [UserAnswer] })
  data: UserAnswer[];

  @Shown({ type: UserPagination })
  pagination: UserPagination;
}

export function usersAnswer(users: User[], total: number, { page, limit }: PageRequest): UsersAnswer {
  return {
    data: users.map(userAnswer),
    pagination: { page, limit, total_pages: Math.ceil(total / limit), total_records: total },
  };
}

export class DeletedUserAnswer {
  @Shown({ type: 'string', example: 'The user was deleted.' })
  message: string;

  @Shown({ type: 'string', example: exampleId('usr') })
  id: string;
}
