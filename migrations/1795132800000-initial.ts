import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The first schema. What belongs to an account is keyed by (account_id, id), and no foreign key leaves an account:
 * the tables can be spread by account over several servers as they are.
 */
export class Initial1795132800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(`DROP TABLE "${table}"`);
  }
}

const TABLES = [
  'payment_requests',
  'transactions',
  'accounts',
  'users',
  'refresh_tokens',
  'sessions',
  'credentials',
  'failed_logins',
  'idempotency_records',
];

const STATEMENTS = [
  `CREATE TABLE "credentials" (
    "subject_id" text NOT NULL,
    "kind" text NOT NULL,
    "email_key" text NOT NULL,
    "password_hash" text NOT NULL,
    "account_id" text,
    "standing" text,
    "role" text NOT NULL,
    "barred" boolean NOT NULL,
    CONSTRAINT "credentials_kind_email_key" UNIQUE ("kind", "email_key"),
    CONSTRAINT "PK_907f6d865dde00301a692b316d5" PRIMARY KEY ("subject_id")
  )`,
  `CREATE INDEX "credentials_account" ON "credentials" ("account_id")`,
  `CREATE TABLE "sessions" (
    "id" text NOT NULL,
    "user_id" text,
    "opened_account_id" text,
    "account_id" text,
    "standing" text,
    "role" text NOT NULL,
    "ip" text NOT NULL,
    "user_agent" text,
    "created_at" timestamptz(3) NOT NULL,
    "last_used_at" timestamptz(3) NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    "ended_at" timestamptz(3),
    CONSTRAINT "PK_3238ef96f18b355b671619111bc" PRIMARY KEY ("id")
  )`,
  `CREATE INDEX "sessions_user" ON "sessions" ("user_id")`,
  `CREATE INDEX "sessions_opened_account" ON "sessions" ("opened_account_id")`,
  `CREATE INDEX "sessions_account" ON "sessions" ("account_id")`,
  `CREATE TABLE "refresh_tokens" (
    "hash" text NOT NULL,
    "session_id" text NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "used_at" timestamptz(3),
    CONSTRAINT "PK_2cf4b2a681a38f8044d688b9ccb" PRIMARY KEY ("hash")
  )`,
  `CREATE INDEX "refresh_tokens_session" ON "refresh_tokens" ("session_id")`,
  `CREATE TABLE "users" (
    "id" text NOT NULL,
    "email" text NOT NULL,
    "name" text,
    "status" text NOT NULL,
    "role" text NOT NULL,
    "account_id" text,
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    CONSTRAINT "CHK_1885dcb9bcc22fe4a173d73df4" CHECK (status IN ('active', 'suspended', 'pending')),
    CONSTRAINT "PK_a3ffb1c0c8416b9fc6f907b7433" PRIMARY KEY ("id")
  )`,
  `CREATE INDEX "users_newest" ON "users" ("created_at", "id")`,
  `CREATE INDEX "users_account" ON "users" ("account_id")`,
  `CREATE TABLE "accounts" (
    "id" text NOT NULL,
    "email" text NOT NULL,
    "name" text NOT NULL,
    "type" text NOT NULL,
    "status" text NOT NULL,
    "currency" text NOT NULL,
    "timezone" text NOT NULL,
    "language" text NOT NULL,
    "posted" bigint NOT NULL,
    "held" bigint NOT NULL,
    "pending_in" bigint NOT NULL,
    "last_id_at" timestamptz(3),
    "last_id_number" integer NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    "closed_at" timestamptz(3),
    CONSTRAINT "CHK_637d58f1e967338ac17274f721" CHECK (status IN ('active', 'suspended', 'pending', 'closed')),
    CONSTRAINT "CHK_25f16b71c80e08420b59cff414" CHECK (0 <= held AND held <= posted AND 0 <= pending_in AND posted + pending_in <= 9007199254740991),
    CONSTRAINT "PK_5a7a02c20412299d198e097a8fe" PRIMARY KEY ("id")
  )`,
  `CREATE INDEX "accounts_newest" ON "accounts" ("created_at", "id")`,
  `CREATE TABLE "transactions" (
    "account_id" text NOT NULL,
    "id" text NOT NULL,
    "amount" bigint NOT NULL,
    "currency" text NOT NULL,
    "type" text NOT NULL,
    "status" text NOT NULL,
    "reference" text,
    "metadata" jsonb NOT NULL DEFAULT '{}',
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    CONSTRAINT "CHK_05c0fd1d77d8600259be7c60d5" CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled')),
    CONSTRAINT "CHK_ea835975687d5080137ff6500c" CHECK (amount BETWEEN 1 AND 9007199254740991),
    CONSTRAINT "PK_2f8c9685ba28b06bb219e3bdb7e" PRIMARY KEY ("account_id", "id")
  )`,
  `CREATE INDEX "transactions_id" ON "transactions" ("id")`,
  `CREATE INDEX "transactions_reference" ON "transactions" ("account_id", "reference") WHERE reference IS NOT NULL`,
  `CREATE INDEX "transactions_pending" ON "transactions" ("account_id") WHERE status = 'pending'`,
  `CREATE TABLE "payment_requests" (
    "account_id" text NOT NULL,
    "id" text NOT NULL,
    "amount" bigint NOT NULL,
    "currency" text NOT NULL,
    "customer_email" text NOT NULL,
    "reference" text,
    "metadata" jsonb NOT NULL DEFAULT '{}',
    "secret" text NOT NULL,
    "status" text NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    CONSTRAINT "CHK_8ceffb784df89e1f47e48e6798" CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled')),
    CONSTRAINT "CHK_e04c9d1f0bc7bd56cdcd1abd3d" CHECK (amount BETWEEN 1 AND 9007199254740991),
    CONSTRAINT "PK_e039f471a21cb7be28a3892a324" PRIMARY KEY ("account_id", "id")
  )`,
  `CREATE INDEX "payment_requests_id" ON "payment_requests" ("id")`,
  `CREATE INDEX "payment_requests_secret" ON "payment_requests" ("secret")`,
  `CREATE INDEX "payment_requests_pending" ON "payment_requests" ("account_id") WHERE status = 'pending'`,
  `CREATE TABLE "failed_logins" (
    "key" varchar(255) PRIMARY KEY,
    "points" integer NOT NULL DEFAULT 0,
    "expire" bigint
  )`,
  `CREATE INDEX "failed_logins_expire" ON "failed_logins" ("expire")`,
  `CREATE TABLE "idempotency_records" (
    "principal" text NOT NULL,
    "key" text NOT NULL,
    "fingerprint" text NOT NULL,
    "answer" text NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    CONSTRAINT "idempotency_records_key" PRIMARY KEY ("principal", "key")
  )`,
  `CREATE INDEX "idempotency_records_age" ON "idempotency_records" ("created_at")`,
];
