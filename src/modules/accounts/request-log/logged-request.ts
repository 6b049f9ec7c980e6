import type { FieldsOf } from '../../../kernel/entity';

/** A request to the API on behalf of an account, without its query, its body and its secrets. */
export class LoggedRequest {
  readonly accountId: string;
  readonly id: string;
  /** The `X-Request-Id` of its response. */
  readonly requestId: string;
  /** The user, the account or the API key that sent it. */
  readonly callerId: string;
  readonly method: string;
  /** With the ids that it names. Other text in their place is not kept. */
  readonly path: string;
  readonly httpStatus: number;
  /** The error code of the response; null for a success. */
  readonly error: string | null;
  readonly durationMs: number;
  readonly createdAt: Date;

  private constructor(fields: FieldsOf<LoggedRequest>) {
    Object.assign(this, fields);
  }

  static of(fields: FieldsOf<LoggedRequest>): LoggedRequest {
    return new LoggedRequest(fields);
  }
}
